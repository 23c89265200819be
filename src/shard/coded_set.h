// For tests: a file and its shard set.
#pragma once

#include <string>

#include "shard/encode.h"
#include "shard/scratch_directory.h"
#include "shard/shard_set.h"

namespace parapet::shard {

/// A scratch directory with the file "file" and its set in the directory "set".
class CodedSet {
 public:
  CodedSet(const std::string& code, std::size_t file_size, std::uint64_t chunk_size = 0) {
    content_ = random_text(file_size);
    write_file(file(), content_);
    EncodeOptions options;
    options.chunk_size = chunk_size;
    Progress progress;
    const auto report = encode_file(file(), Code::parse(code).value(), directory(), options, progress);
    if (!report) throw std::runtime_error(report.error().message());
    report_ = *report;
  }

  [[nodiscard]] const ScratchDirectory& scratch() const { return scratch_; }
  [[nodiscard]] std::string file() const { return scratch_ / "file"; }
  [[nodiscard]] std::string directory() const { return scratch_ / "set"; }
  [[nodiscard]] std::string shard(unsigned index) const { return directory() + "/" + shard_name(index); }
  [[nodiscard]] const std::string& content() const { return content_; }
  [[nodiscard]] const EncodeReport& report() const { return report_; }
  [[nodiscard]] layout::Striping striping() const { return layout::Striping(report_.header); }

  void remove(unsigned index) const { std::filesystem::remove(shard(index)); }
  /// Spoils a block of a shard.
  void rot_block(unsigned index, std::uint64_t stripe, std::uint64_t block) const {
    rot(shard(index), striping().chunk_offset(stripe) + block * layout::block_size + 17);
  }
  /// All shards' bytes, to compare with later.
  [[nodiscard]] std::vector<std::string> snapshot() const {
    std::vector<std::string> shards;
    for (unsigned index = 0; index < report_.header.k + report_.header.m; ++index)
      shards.push_back(read_file(shard(index)));
    return shards;
  }

 private:
  ScratchDirectory scratch_;
  std::string content_;
  EncodeReport report_;
};

}  // namespace parapet::shard
