#include "shard/encode.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/try.h"
#include "shard/chunk_size.h"
#include "shard/file_slice.h"
#include "shard/shard_set.h"
#include "shard/stripe_writer.h"

namespace parapet::shard {
namespace {

namespace fs = std::filesystem;

FileError refusal(ErrorCode code, const std::string& subject, const char* reason) {
  return {{.code = code, .operation = "encode", .reason = reason}, subject, {}};
}

/// Only a directory that holds nothing but shards is ever replaced, and never the one that holds the input.
FileResult<void> check_target(const std::string& target, const std::string& file, Replace replace) {
  std::error_code failed;
  const fs::file_status status = fs::symlink_status(target, failed);
  if (!fs::exists(status)) return {};
  if (!fs::is_directory(status)) return refusal(ErrorCode::already_exists, target, "it exists and is not a directory");
  fs::directory_iterator entries(target, failed);
  if (failed) return os_error("open", target, failed.value());
  if (entries == fs::directory_iterator()) return {};
  if (replace == Replace::no)
    return refusal(ErrorCode::already_exists, target, "it exists and is not empty; --force replaces a shard set");
  for (const fs::directory_entry& entry : entries)
    if (!index_of_name(entry.path().filename().string()) || !entry.is_regular_file(failed))
      return refusal(ErrorCode::already_exists, target, "it holds more than shards and is not replaced");
  if (fs::equivalent(parent_of(file), target, failed))
    return refusal(ErrorCode::invalid_argument, target, "it holds the file to be encoded");
  return {};
}

FileResult<layout::SetId> random_set_id(const std::string& subject) {
  layout::SetId id;
  if (::getrandom(id.bytes.data(), id.bytes.size(), 0) != static_cast<ssize_t>(id.bytes.size()))
    return os_error("get random bytes", subject, errno);
  return id;
}

/// The header of shard 0.
FileResult<layout::ShardHeader> make_header(const std::string& subject, const Code& code, std::uint64_t chunk_size,
                                            std::uint64_t file_length) {
  layout::ShardHeader header;
  PARAPET_TRY(header.chunk_size, choose_chunk_size(subject, code, chunk_size));
  header.k = code.k();
  header.m = code.m();
  header.alpha = code.alpha();
  header.granule_size = static_cast<std::uint32_t>(rows_of(code).granule());
  header.unit_size = default_unit_size;
  header.file_length = file_length;
  header.code = code.text();
  PARAPET_TRY(header.set_id, random_set_id(subject));
  PARAPET_CHECK(about(subject, layout::encode_header(header)));
  return header;
}

/// The shard files in the making.
struct Outputs {
  std::vector<PosixFile> files;
  std::vector<ShardOutput> shards;

  static FileResult<Outputs> create(const std::string& directory, layout::ShardHeader header) {
    Outputs outputs;
    outputs.files.reserve(header.k + header.m);
    for (header.index = 0; header.index < header.k + header.m; ++header.index) {
      PARAPET_TRY(PosixFile file, PosixFile::create(directory + "/" + shard_name(header.index)));
      PARAPET_TRY(const layout::HeaderBlock block, about(file.path(), layout::encode_header(header)));
      PARAPET_CHECK(file.write(0, std::span<const std::uint8_t>(block)));
      outputs.files.push_back(std::move(file));
      outputs.shards.push_back({header.index, &outputs.files.back(), {header.set_id, header.index}});
    }
    return outputs;
  }
};

class EncodeWorker : public StripeWorker {
 public:
  EncodeWorker(const PosixFile& input, const SetFormat& format, const Outputs& outputs, WorkerControl& control,
               std::atomic<std::uint64_t>& bytes_written)
      : format_(format),
        control_(control),
        slice_length_(format.slice_length()),
        buffer_(format.code.n(), format.rows, slice_length_),
        input_(input, format.striping, format.code.k()),
        writer_(outputs.shards, format.striping),
        subject_(input.path()),
        bytes_written_(bytes_written) {}

  ~EncodeWorker() override { bytes_written_ += writer_.bytes_written(); }

  FileResult<void> run(std::uint64_t stripe) override {
    const std::size_t part_size = format_.rows.part_size(format_.striping.chunk_size(stripe));
    const auto code_slice = [&](const Slice& slice) { return run_slice(stripe, slice); };
    PARAPET_CHECK(for_each_slice(part_size, slice_length_, code_slice));
    return writer_.finish(stripe);
  }

 private:
  FileResult<void> run_slice(std::uint64_t stripe, const Slice& slice) {
    if (control_.stopping()) return interrupted_error(subject_);
    PARAPET_CHECK(input_.read(stripe, slice, buffer_));
    data_.clear();
    parity_.clear();
    for (unsigned index = 0; index < format_.code.k(); ++index) data_.emplace_back(buffer_.region(index, slice));
    for (unsigned index = format_.code.k(); index < format_.code.n(); ++index)
      parity_.push_back(buffer_.region(index, slice));
    PARAPET_CHECK(about(subject_, format_.code.encode(data_, parity_)));
    PARAPET_CHECK(writer_.write(stripe, slice, buffer_));
    control_.add_done(format_.code.k() * buffer_.chunk(0, slice).size());
    return {};
  }

  const SetFormat& format_;
  WorkerControl& control_;
  std::size_t slice_length_;
  SliceBuffer buffer_;
  FileSlices input_;
  StripeWriter writer_;
  std::string subject_;
  std::atomic<std::uint64_t>& bytes_written_;
  std::vector<ConstRegion> data_;
  std::vector<Region> parity_;
};

/// The time of the last change, to notice a file that changes while it is read.
FileResult<std::pair<std::uint64_t, std::int64_t>> state_of(const PosixFile& file) {
  struct stat status;
  if (::fstat(file.descriptor(), &status) != 0) return os_error("stat", file.path(), errno);
  return std::pair(static_cast<std::uint64_t>(status.st_size),
                   std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec);
}

}  // namespace

FileResult<EncodeReport> encode_file(const std::string& file, const Code& code, const std::string& target,
                                     const EncodeOptions& options, Progress& progress) {
  // "set/" means "set"; the directory is made beside its place, not in it.
  const std::string directory = target.substr(0, target.find_last_not_of('/') + 1);
  if (directory.empty()) return refusal(ErrorCode::invalid_argument, target, "it is no name for a directory");
  PARAPET_TRY(const PosixFile input, PosixFile::open(file));
  PARAPET_CHECK(check_target(directory, file, options.replace));
  PARAPET_TRY(const auto state, state_of(input));
  PARAPET_TRY(const layout::ShardHeader header, make_header(directory, code, options.chunk_size, state.first));
  PARAPET_TRY(const SetFormat format, about(directory, SetFormat::make(header)));

  PARAPET_TRY(TemporaryDirectory temporary, TemporaryDirectory::create(directory));
  PARAPET_TRY(const Outputs outputs, Outputs::create(temporary.path(), header));
  progress.bytes_total = format.striping.padded_length();
  std::atomic<std::uint64_t> bytes_written = outputs.files.size() * layout::header_size;
  PARAPET_CHECK(run_workers(format.worker_count(options.worker_count), format.striping.stripe_count(), file, progress,
                            [&](WorkerControl& control) -> std::unique_ptr<StripeWorker> {
                              return std::make_unique<EncodeWorker>(input, format, outputs, control, bytes_written);
                            }));
  PARAPET_TRY(const auto state_after, state_of(input));
  if (state_after != state) return refusal(ErrorCode::io_failed, file, "it was changed while it was read");
  for (const PosixFile& shard : outputs.files) PARAPET_CHECK(shard.sync());
  PARAPET_CHECK(temporary.commit(directory, options.replace));
  return EncodeReport{header, format.striping.shard_size(), format.striping.stripe_count(), state.first, bytes_written};
}

}  // namespace parapet::shard
