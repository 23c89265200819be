#include "shard/verify.h"

#include <algorithm>

#include "base/try.h"
#include "shard/shard_set.h"
#include "shard/stripe_reader.h"

namespace parapet::shard {
namespace {

struct Counts {
  std::atomic<std::uint64_t> bytes_read{0};
  std::atomic<std::uint64_t> block_rows_lost{0};
};

class VerifyWorker : public StripeWorker {
 public:
  VerifyWorker(const ShardSet& set, DamageLog& log, WorkerControl& control, Counts& counts)
      : set_(set),
        format_(set.format()),
        log_(log),
        control_(control),
        slice_length_(format_.slice_length()),
        buffer_(format_.code.n(), format_.rows, slice_length_),
        reader_(set, log),
        counts_(counts) {}

  ~VerifyWorker() override { counts_.bytes_read += reader_.bytes_read(); }

  FileResult<void> run(std::uint64_t stripe) override {
    reader_.begin(stripe);
    mismatched_ = {};
    const std::size_t part_size = format_.rows.part_size(format_.striping.chunk_size(stripe));
    PARAPET_CHECK(for_each_slice(part_size, slice_length_, [&](const Slice& slice) { return run_slice(slice); }));
    for (const unsigned index : mismatched_) log_.add_mismatch(index, stripe);
    return {};
  }

 private:
  FileResult<void> run_slice(const Slice& slice) {
    if (control_.stopping()) return interrupted_error(set_.directory());
    PARAPET_CHECK(reader_.read(slice, {}, Reading::all, buffer_));
    if (!reader_.clean()) {
      for (const ChunkSet& good : reader_.rows_good()) counts_.block_rows_lost += format_.code.decodable(good) ? 0 : 1;
    } else if (!format_.code.decodable(reader_.available())) {
      counts_.block_rows_lost += slice.length / format_.rows.piece_size();
    } else if (reader_.available().count() == format_.code.n()) {
      PARAPET_CHECK(check_parity(slice));
    }
    control_.add_done(format_.code.k() * buffer_.chunk(0, slice).size());
    return {};
  }

  FileResult<void> check_parity(const Slice& slice) {
    chunks_.clear();
    for (unsigned index = 0; index < format_.code.n(); ++index) chunks_.emplace_back(buffer_.region(index, slice));
    PARAPET_TRY(const ChunkSet mismatched, about(set_.directory(), format_.code.verify(chunks_)));
    mismatched_ = mismatched_ | mismatched;
    return {};
  }

  const ShardSet& set_;
  const SetFormat& format_;
  DamageLog& log_;
  WorkerControl& control_;
  std::size_t slice_length_;
  SliceBuffer buffer_;
  StripeReader reader_;
  Counts& counts_;
  ChunkSet mismatched_;  // In this stripe.
  std::vector<ConstRegion> chunks_;
};

}  // namespace

FileResult<VerifyReport> verify_set(const std::string& directory, unsigned worker_count, Progress& progress) {
  PARAPET_TRY(const ShardSet set, ShardSet::open(directory));
  progress.bytes_total = set.format().striping.padded_length();
  DamageLog log;
  Counts counts;
  PARAPET_CHECK(run_workers(set.format().worker_count(worker_count), set.format().striping.stripe_count(), directory,
                            progress, [&](WorkerControl& control) -> std::unique_ptr<StripeWorker> {
                              return std::make_unique<VerifyWorker>(set, log, control, counts);
                            }));
  VerifyReport report{set.format().header, set.findings(), counts.bytes_read, counts.block_rows_lost};
  for (Finding& finding : log.findings(set)) report.findings.push_back(std::move(finding));
  return report;
}

}  // namespace parapet::shard
