#include "shard/decode.h"

#include <sys/stat.h>

#include <filesystem>

#include "base/try.h"
#include "shard/file_slice.h"
#include "shard/shard_set.h"
#include "shard/stripe_reader.h"

namespace parapet::shard {
namespace {

namespace fs = std::filesystem;

FileError refusal(ErrorCode code, const std::string& subject, const char* reason) {
  return {{.code = code, .operation = "decode", .reason = reason}, subject, {}};
}

FileResult<void> check_target(const std::string& target, const std::string& directory, Replace replace) {
  std::error_code failed;
  if (fs::equivalent(parent_of(target), directory, failed))
    return refusal(ErrorCode::invalid_argument, target, "it would lie among the shards");
  const fs::file_status status = fs::symlink_status(target, failed);
  if (!fs::exists(status)) return {};
  if (replace == Replace::no) return refusal(ErrorCode::already_exists, target, "it exists; --force replaces it");
  if (fs::is_directory(status)) return refusal(ErrorCode::already_exists, target, "it is a directory");
  return {};
}

class DecodeWorker : public StripeWorker {
 public:
  DecodeWorker(const ShardSet& set, DamageLog& log, const PosixFile& output, WorkerControl& control,
               std::atomic<std::uint64_t>& bytes_read)
      : set_(set),
        format_(set.format()),
        control_(control),
        data_(ChunkSet::range(0, format_.code.k())),
        slice_length_(format_.slice_length()),
        buffer_(format_.code.n(), format_.rows, slice_length_),
        reader_(set, log),
        output_(output, format_.striping, format_.code.k()),
        bytes_read_(bytes_read) {}

  ~DecodeWorker() override { bytes_read_ += reader_.bytes_read(); }

  FileResult<void> run(std::uint64_t stripe) override {
    reader_.begin(stripe);
    const std::size_t part_size = format_.rows.part_size(format_.striping.chunk_size(stripe));
    return for_each_slice(part_size, slice_length_, [&](const Slice& slice) -> FileResult<void> {
      if (control_.stopping()) return interrupted_error(set_.directory());
      PARAPET_CHECK(reader_.read(slice, data_, Reading::needed, buffer_));
      PARAPET_CHECK(output_.write(stripe, slice, buffer_));
      control_.add_done(format_.code.k() * buffer_.chunk(0, slice).size());
      return {};
    });
  }

 private:
  const ShardSet& set_;
  const SetFormat& format_;
  WorkerControl& control_;
  ChunkSet data_;
  std::size_t slice_length_;
  SliceBuffer buffer_;
  StripeReader reader_;
  FileSlices output_;
  std::atomic<std::uint64_t>& bytes_read_;
};

}  // namespace

FileResult<DecodeReport> decode_set(const std::string& directory, const std::string& file, const DecodeOptions& options,
                                    Progress& progress) {
  PARAPET_CHECK(check_target(file, directory, options.replace));
  PARAPET_TRY(const ShardSet set, ShardSet::open(directory));
  const SetFormat& format = set.format();
  PARAPET_TRY(TemporaryFile output, TemporaryFile::create(file));
  PARAPET_CHECK(output.file().resize(format.header.file_length));
  progress.bytes_total = format.striping.padded_length();
  DamageLog log;
  std::atomic<std::uint64_t> bytes_read = 0;
  PARAPET_CHECK(run_workers(format.worker_count(options.worker_count), format.striping.stripe_count(), directory,
                            progress, [&](WorkerControl& control) -> std::unique_ptr<StripeWorker> {
                              return std::make_unique<DecodeWorker>(set, log, output.file(), control, bytes_read);
                            }));
  PARAPET_CHECK(output.file().sync());
  PARAPET_CHECK(output.commit(file, options.replace));
  PARAPET_CHECK(sync_directory(parent_of(file)));
  DecodeReport report{format.header, set.findings(), bytes_read, format.header.file_length};
  for (Finding& finding : log.findings(set)) report.findings.push_back(std::move(finding));
  return report;
}

}  // namespace parapet::shard
