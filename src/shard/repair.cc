#include "shard/repair.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/try.h"
#include "shard/shard_set.h"
#include "shard/stripe_writer.h"
#include "shard/temporary.h"

namespace parapet::shard {
namespace {

struct Counts {
  std::atomic<std::uint64_t> bytes_read{0};
  std::atomic<std::uint64_t> bytes_written{0};
};

/// A shard under a temporary name.
struct Rebuilt {
  unsigned index;
  TemporaryFile temporary;
};

class RepairWorker : public StripeWorker {
 public:
  RepairWorker(const ShardSet& set, DamageLog& log, const std::vector<ShardOutput>& outputs, Reading reading,
               WorkerControl& control, Counts& counts)
      : set_(set),
        format_(set.format()),
        control_(control),
        reading_(reading),
        slice_length_(format_.slice_length()),
        buffer_(format_.code.n(), format_.rows, slice_length_),
        reader_(set, log),
        writer_(outputs, format_.striping),
        counts_(counts) {
    for (const ShardOutput& output : outputs) wanted_.insert(output.index);
  }

  ~RepairWorker() override {
    counts_.bytes_read += reader_.bytes_read();
    counts_.bytes_written += writer_.bytes_written();
  }

  FileResult<void> run(std::uint64_t stripe) override {
    reader_.begin(stripe);
    const std::size_t part_size = format_.rows.part_size(format_.striping.chunk_size(stripe));
    const auto mend_slice = [&](const Slice& slice) { return run_slice(stripe, slice); };
    PARAPET_CHECK(for_each_slice(part_size, slice_length_, mend_slice));
    return writer_.finish(stripe);
  }

 private:
  FileResult<void> run_slice(std::uint64_t stripe, const Slice& slice) {
    if (control_.stopping()) return interrupted_error(set_.directory());
    PARAPET_CHECK(reader_.read(slice, wanted_, reading_, buffer_));
    PARAPET_CHECK(writer_.write(stripe, slice, buffer_));
    control_.add_done(format_.code.k() * buffer_.chunk(0, slice).size());
    return {};
  }

  const ShardSet& set_;
  const SetFormat& format_;
  WorkerControl& control_;
  Reading reading_;
  ChunkSet wanted_;
  std::size_t slice_length_;
  SliceBuffer buffer_;
  StripeReader reader_;
  StripeWriter writer_;
  Counts& counts_;
};

/// One repair of one set.
class Repair {
 public:
  Repair(const ShardSet& set, const RepairOptions& options, Progress& progress)
      : set_(set), format_(set.format()), options_(options), progress_(progress) {
    for (unsigned index = 0; index < format_.code.n(); ++index)
      names_.push_back(set.shard(index) ? set.shard(index)->name : "");
  }

  FileResult<RepairReport> run() {
    const ChunkSet lost = ChunkSet::range(0, format_.code.n()) - set_.whole();
    DamageLog log;
    if (options_.reading == Reading::all || !lost.empty()) PARAPET_CHECK(rebuild(lost, options_.reading, log));
    if (const ChunkSet rotten = log.rotten() - lost; !rotten.empty()) {
      DamageLog known_already;
      PARAPET_CHECK(rebuild(rotten, Reading::needed, known_already));
    }
    report_.header = format_.header;
    report_.findings = set_.findings();
    for (Finding& finding : log.findings(set_)) report_.findings.push_back(std::move(finding));
    PARAPET_CHECK(put_names_right());
    PARAPET_CHECK(put_in_place());
    report_.data_bytes = format_.striping.padded_length();
    report_.bytes_read = counts_.bytes_read;
    report_.bytes_written = counts_.bytes_written;
    return std::move(report_);
  }

 private:
  /// Writes shards `targets` under temporary names.
  FileResult<void> rebuild(const ChunkSet& targets, Reading reading, DamageLog& log) {
    const std::size_t first = rebuilt_.size();
    for (const unsigned index : targets) PARAPET_CHECK(create(index));
    std::vector<ShardOutput> outputs;
    for (std::size_t i = first; i < rebuilt_.size(); ++i)
      outputs.push_back({rebuilt_[i].index, &rebuilt_[i].temporary.file(), {format_.header.set_id, rebuilt_[i].index}});
    progress_.bytes_total += format_.striping.padded_length();
    return run_workers(format_.worker_count(options_.worker_count), format_.striping.stripe_count(), set_.directory(),
                       progress_, [&](WorkerControl& control) -> std::unique_ptr<StripeWorker> {
                         return std::make_unique<RepairWorker>(set_, log, outputs, reading, control, counts_);
                       });
  }

  FileResult<void> create(unsigned index) {
    PARAPET_TRY(TemporaryFile temporary, TemporaryFile::create(set_.path_of(shard_name(index))));
    layout::ShardHeader header = format_.header;
    header.index = index;
    PARAPET_TRY(const layout::HeaderBlock block, about(temporary.file().path(), layout::encode_header(header)));
    PARAPET_CHECK(temporary.file().write(0, std::span<const std::uint8_t>(block)));
    counts_.bytes_written += block.size();
    rebuilt_.push_back({index, std::move(temporary)});
    return {};
  }

  /// Moves every misnamed shard to its name. An exchange puts at least one of two shards in its place and loses
  /// neither, so any permutation comes right. Where another file has the name, or the file system cannot do it, the
  /// shard stays where it is: names are a convenience.
  FileResult<void> put_names_right() {
    for (unsigned index = 0; index < format_.code.n(); ++index) {
      const std::string right = shard_name(index);
      if (names_[index].empty() || names_[index] == right) continue;
      const auto other = std::ranges::find(names_, right);
      const unsigned flags = other == names_.end() ? RENAME_NOREPLACE : RENAME_EXCHANGE;
      if (::renameat2(AT_FDCWD, set_.path_of(names_[index]).c_str(), AT_FDCWD, set_.path_of(right).c_str(), flags) !=
          0) {
        if (errno == EINVAL || errno == EEXIST) continue;
        return os_error("rename", set_.path_of(names_[index]), errno);
      }
      if (other != names_.end()) *other = names_[index];
      names_[index] = right;
      report_.renamed.insert(index);
    }
    return {};
  }

  /// Where a rebuilt shard goes: over its own old file if it has one, else to its name or one like it that is free.
  std::pair<std::string, Replace> place_for(unsigned index) const {
    if (!names_[index].empty()) return {names_[index], Replace::yes};
    const auto own_ruin = [&](const Finding& finding) {
      return finding.kind == FindingKind::bad_header && finding.file == shard_name(index);
    };
    if (std::ranges::any_of(set_.findings(), own_ruin)) return {shard_name(index), Replace::yes};
    std::string name = shard_name(index);
    struct stat status;
    for (unsigned next = 1; ::lstat(set_.path_of(name).c_str(), &status) == 0; ++next)
      name = fmt::format("shard-{:03}.{}.parapet", index, next);
    return {name, Replace::no};
  }

  FileResult<void> put_in_place() {
    for (const Rebuilt& rebuilt : rebuilt_) PARAPET_CHECK(rebuilt.temporary.file().sync());
    for (Rebuilt& rebuilt : rebuilt_) {
      const auto [name, replace] = place_for(rebuilt.index);
      PARAPET_CHECK(rebuilt.temporary.commit(set_.path_of(name), replace));
      report_.rebuilt.insert(rebuilt.index);
    }
    return sync_directory(set_.directory());
  }

  const ShardSet& set_;
  const SetFormat& format_;
  const RepairOptions& options_;
  Progress& progress_;
  Counts counts_;
  std::vector<Rebuilt> rebuilt_;
  std::vector<std::string> names_;  // Of the shards' files at this moment, by index; empty when there is none.
  RepairReport report_;
};

}  // namespace

FileResult<RepairReport> repair_set(const std::string& directory, const RepairOptions& options, Progress& progress) {
  PARAPET_TRY(const ShardSet set, ShardSet::open(directory));
  return Repair(set, options, progress).run();
}

}  // namespace parapet::shard
