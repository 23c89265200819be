#include "shard/temporary.h"

#include <gtest/gtest.h>

#include "shard/scratch_directory.h"

namespace parapet::shard {
namespace {

using Names = std::set<std::string>;

void fill(const TemporaryFile& temporary, std::string_view text) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  ASSERT_TRUE(temporary.file().write(0, std::span(bytes, text.size())));
}

TEST(TemporaryFile, LeavesNothingUnlessCommitted) {
  const ScratchDirectory scratch;
  {
    const auto temporary = TemporaryFile::create(scratch / "target");
    ASSERT_TRUE(temporary);
    const Names names = names_in(scratch.path());
    ASSERT_EQ(names.size(), 1u);
    EXPECT_EQ(names.begin()->rfind(".target.parapet-", 0), 0u) << *names.begin();
  }
  EXPECT_EQ(names_in(scratch.path()), Names{});
}

TEST(TemporaryFile, ReplacesOnlyWhenTold) {
  const ScratchDirectory scratch;
  write_file(scratch / "target", "old");
  {
    TemporaryFile temporary = TemporaryFile::create(scratch / "target").value();
    fill(temporary, "new");
    const auto refused = temporary.commit(scratch / "target", Replace::no);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().error.code, ErrorCode::already_exists);
    EXPECT_EQ(read_file(scratch / "target"), "old");
    ASSERT_TRUE(temporary.commit(scratch / "target", Replace::yes));
  }
  EXPECT_EQ(read_file(scratch / "target"), "new");
  EXPECT_EQ(names_in(scratch.path()), Names{"target"});
}

TEST(TemporaryFile, TakesNamesOfFullLength) {
  const ScratchDirectory scratch;
  const std::string target = scratch / std::string(255, 'n');
  TemporaryFile temporary = TemporaryFile::create(target).value();
  ASSERT_TRUE(temporary.commit(target, Replace::no));
  EXPECT_TRUE(std::filesystem::exists(target));
}

TEST(TemporaryDirectory, LeavesNothingUnlessCommitted) {
  const ScratchDirectory scratch;
  {
    const auto temporary = TemporaryDirectory::create(scratch / "target");
    ASSERT_TRUE(temporary);
    write_file(temporary->path() + "/file", "x");
  }
  EXPECT_EQ(names_in(scratch.path()), Names{});
}

TEST(TemporaryDirectory, ReplacesAnEmptyDirectoryAlwaysAndAFullOneWhenTold) {
  const ScratchDirectory scratch;
  std::filesystem::create_directory(scratch / "target");
  {
    TemporaryDirectory temporary = TemporaryDirectory::create(scratch / "target").value();
    write_file(temporary.path() + "/one", "1");
    ASSERT_TRUE(temporary.commit(scratch / "target", Replace::no));
  }
  EXPECT_EQ(names_in(scratch / "target"), Names{"one"});
  {
    TemporaryDirectory temporary = TemporaryDirectory::create(scratch / "target").value();
    write_file(temporary.path() + "/two", "2");
    const auto refused = temporary.commit(scratch / "target", Replace::no);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().error.code, ErrorCode::already_exists);
    EXPECT_EQ(names_in(scratch / "target"), Names{"one"});
    ASSERT_TRUE(temporary.commit(scratch / "target", Replace::yes));
  }
  EXPECT_EQ(names_in(scratch / "target"), Names{"two"});
  EXPECT_EQ(names_in(scratch.path()), Names{"target"});
}

}  // namespace
}  // namespace parapet::shard
