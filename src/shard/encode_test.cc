#include "shard/encode.h"

#include <gtest/gtest.h>

#include "shard/coded_set.h"

namespace parapet::shard {
namespace {

using Names = std::set<std::string>;

FileResult<EncodeReport> encode(const std::string& file, const std::string& directory, EncodeOptions options = {}) {
  Progress progress;
  return encode_file(file, Code::parse("rs(2,1)").value(), directory, options, progress);
}

ErrorCode error_of(const FileResult<EncodeReport>& result) {
  EXPECT_FALSE(result);
  return result ? ErrorCode::io_failed : result.error().error.code;
}

/// The bytes of shard 0 as docs/formats/shard.md says, without the code that makes them.
TEST(Encode, LaysBytesOutAsDocumented) {
  // Two data chunks of 80 KiB in a stripe: a row of 64 KiB and one of 16 KiB. The second stripe holds 100 bytes.
  const std::size_t kib = 1024;
  const CodedSet coded("rs(2,1)", 160 * kib + 100, 80 * kib);
  const std::string& file = coded.content();
  const std::string shard0 = read_file(coded.shard(0));
  const std::string shard1 = read_file(coded.shard(1));
  ASSERT_EQ(shard0.size(), 4096 + 80 * kib + 4096 + 4096 + 4096);
  EXPECT_EQ(shard0.substr(4096, 64 * kib), file.substr(0, 64 * kib));
  EXPECT_EQ(shard1.substr(4096, 64 * kib), file.substr(64 * kib, 64 * kib));
  EXPECT_EQ(shard0.substr(4096 + 64 * kib, 16 * kib), file.substr(128 * kib, 16 * kib));
  EXPECT_EQ(shard1.substr(4096 + 64 * kib, 16 * kib), file.substr(144 * kib, 16 * kib));
  const std::size_t second = 4096 + 80 * kib + 4096;
  EXPECT_EQ(shard0.substr(second, 4096), file.substr(160 * kib) + std::string(3996, '\0'));
  EXPECT_EQ(shard1.substr(second, 4096), std::string(4096, '\0'));

  const layout::BlockChecksums checksums(coded.report().header.set_id, 1);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(shard1.data());
  const std::span<const std::uint8_t> area(bytes + 4096 + 80 * kib, 4096);
  EXPECT_TRUE(checksums.area_intact(0, area));
  for (std::uint32_t block = 0; block < 20; ++block)
    EXPECT_EQ(layout::area_entry(area, block), checksums.of(0, block, bytes + 4096 + block * 4096)) << block;
}

TEST(Encode, CodesSlicesLikeWholeChunks) {
  for (const char* name : {"rs(5,3)", "xrs(5,3)"}) {
    // 200 KiB: neither a unit nor a slice divides it.
    const CodedSet coded(name, 5 * 200 * 1024, 200 * 1024);
    const Code code = Code::parse(name).value();
    std::vector<std::string> shards = coded.snapshot();
    std::vector<ConstRegion> chunks;
    for (const std::string& shard : shards) chunks.emplace_back(shard.data() + 4096, 200 * 1024);
    const auto mismatched = code.verify(chunks);
    ASSERT_TRUE(mismatched);
    EXPECT_TRUE(mismatched->empty()) << name;
  }
}

TEST(Encode, RefusesAChunkSizeThatDoesNotFit) {
  const ScratchDirectory scratch;
  write_file(scratch / "file", "x");
  EncodeOptions options;
  options.chunk_size = 5000;
  EXPECT_EQ(error_of(encode(scratch / "file", scratch / "set", options)), ErrorCode::invalid_argument);
  EXPECT_EQ(names_in(scratch.path()), Names{"file"});
}

TEST(Encode, RefusesWhatIsThere) {
  const ScratchDirectory scratch;
  write_file(scratch / "file", "x");
  write_file(scratch / "other", "keep me");
  EXPECT_EQ(error_of(encode(scratch / "file", scratch / "other")), ErrorCode::already_exists);
  EXPECT_EQ(error_of(encode(scratch / "file", scratch / "file")), ErrorCode::already_exists);
  EncodeOptions force;
  force.replace = Replace::yes;
  EXPECT_EQ(error_of(encode(scratch / "file", scratch / "other", force)), ErrorCode::already_exists);
  // A directory with more than shards is nothing to replace, least of all the one with the file itself.
  EXPECT_EQ(error_of(encode(scratch / "file", scratch.path(), force)), ErrorCode::already_exists);
  EXPECT_EQ(read_file(scratch / "other"), "keep me");
  EXPECT_EQ(names_in(scratch.path()), (Names{"file", "other"}));
}

TEST(Encode, NeverReplacesItsInput) {
  const CodedSet coded("rs(2,1)", 1000);
  EncodeOptions force;
  force.replace = Replace::yes;
  EXPECT_EQ(error_of(encode(coded.shard(0), coded.directory(), force)), ErrorCode::invalid_argument);
  EXPECT_EQ(names_in(coded.directory()).size(), 3u);
}

TEST(Encode, ReplacesASetWhenTold) {
  const CodedSet coded("rs(3,2)", 1000);
  EXPECT_EQ(error_of(encode(coded.file(), coded.directory())), ErrorCode::already_exists);
  EncodeOptions force;
  force.replace = Replace::yes;
  ASSERT_TRUE(encode(coded.file(), coded.directory(), force));
  EXPECT_EQ(names_in(coded.directory()), (Names{shard_name(0), shard_name(1), shard_name(2)}));
  EXPECT_EQ(names_in(coded.scratch().path()), (Names{"file", "set"}));
}

TEST(Encode, LeavesNothingWhenStopped) {
  const ScratchDirectory scratch;
  write_file(scratch / "file", random_text(100'000));
  Progress progress;
  progress.stop = true;
  const auto result = encode_file(scratch / "file", Code::parse("rs(2,1)").value(), scratch / "set", {}, progress);
  EXPECT_EQ(error_of(result), ErrorCode::interrupted);
  EXPECT_EQ(names_in(scratch.path()), Names{"file"});
}

TEST(Encode, CountsItsProgress) {
  const ScratchDirectory scratch;
  write_file(scratch / "file", random_text(100'000));
  Progress progress;
  const auto report = encode_file(scratch / "file", Code::parse("rs(2,1)").value(), scratch / "set", {}, progress);
  ASSERT_TRUE(report);
  EXPECT_EQ(progress.bytes_done, progress.bytes_total);
  EXPECT_EQ(progress.bytes_total, 2u * 13 * 4096);
  EXPECT_EQ(report->bytes_read, 100'000u);
  EXPECT_EQ(report->bytes_written, 3 * report->shard_size);
}

}  // namespace
}  // namespace parapet::shard
