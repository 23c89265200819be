// Shard sets of every family: what is special about a code must not show in what the program promises.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <utility>

#include "shard/coded_set.h"
#include "shard/decode.h"
#include "shard/repair.h"
#include "shard/verify.h"

namespace parapet::shard {
namespace {

constexpr const char* codes[] = {"rs(4,2)",
                                 "xrs(4,2)",
                                 "hitchhiker(4,2)",
                                 "lrc(6,2,2)",
                                 "lrc(6,2,2,groups=uniform)",
                                 "rdp(4,2)",
                                 "evenodd(4,2)",
                                 "reed_sol_r6_op(4,2)",
                                 "cauchy_orig(4,3,w=4)",
                                 "cauchy_orig(4,3,w=4,packetsize=8)",
                                 "cauchy_good(4,3)",
                                 "cauchy_good(4,3,packetsize=24)",
                                 "cauchy_good(4,3,w=5,packetsize=2048)",
                                 "liberation(4,2,packetsize=4096)",
                                 "liberation(4,2,packetsize=2048)",
                                 "liberation(4,2)",
                                 "blaum_roth(4,2,packetsize=24)",
                                 "blaum_roth(4,2,packetsize=4096)",
                                 "blaum_roth(4,2,w=7,packetsize=8,unsafe=yes)",
                                 "liber8tion(4,2,packetsize=8)",
                                 "liber8tion(4,2,packetsize=2048)",
                                 "xor(4,1)",
                                 "replication(1,3)",
                                 "clay(4,2)",
                                 "clay(5,3)"};

class EveryCode : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static Code code() { return Code::parse(GetParam()).value(); }
  [[nodiscard]] static std::size_t granule() { return layout::Rows(code().alpha(), code().packet_size()).granule(); }
  [[nodiscard]] static ChunkSet all() { return ChunkSet::range(0, code().n()); }
  /// One stripe of several rows, one more, and one that is shorter.
  [[nodiscard]] static CodedSet coded_set() {
    const std::size_t chunk_size = 3 * granule();
    return {GetParam(), code().k() * (2 * chunk_size + 2 * granule()) - 777, chunk_size};
  }

  static std::uint64_t row_count(const CodedSet& coded) {
    std::uint64_t count = 0;
    for (std::uint64_t stripe = 0; stripe < coded.striping().stripe_count(); ++stripe)
      count += coded.striping().chunk_size(stripe) / granule();
    return count;
  }

  static void expect_decodes(const CodedSet& coded) {
    Progress progress;
    const auto report = decode_set(coded.directory(), coded.scratch() / "out", {}, progress);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_TRUE(read_file(coded.scratch() / "out") == coded.content());
    std::filesystem::remove(coded.scratch() / "out");
  }
  static FileResult<RepairReport> repair(const CodedSet& coded, Reading reading) {
    RepairOptions options;
    options.reading = reading;
    Progress progress;
    return repair_set(coded.directory(), options, progress);
  }
  static void expect_too_many(const FileError& error, const ChunkSet& lost) {
    const bool too_few = code().n() - lost.count() < code().k();
    const std::string reason = too_few ? fmt::format("{} are needed", code().k())
                                       : fmt::format("the code bears any {}, but not these", code().tolerance());
    const std::string expected = fmt::format("{} of {} shards are lost{} {} (lost: {};", lost.count(), code().n(),
                                             too_few ? "," : ";", reason, fmt::join(lost, ", "));
    EXPECT_NE(error.message().find(expected), std::string::npos) << error.message();
  }
  static VerifyReport verify(const CodedSet& coded) {
    Progress progress;
    return verify_set(coded.directory(), 2, progress).value();
  }
};

/// The parity of whole chunks, though the program codes slices.
TEST_P(EveryCode, CodesWholeChunks) {
  const CodedSet coded = coded_set();
  const layout::Striping striping = coded.striping();
  ASSERT_EQ(striping.stripe_count(), 3u);
  const std::vector<std::string> shards = coded.snapshot();
  for (std::uint64_t stripe = 0; stripe < striping.stripe_count(); ++stripe) {
    std::vector<ConstRegion> chunks;
    for (const std::string& shard : shards)
      chunks.emplace_back(shard.data() + striping.chunk_offset(stripe), striping.chunk_size(stripe));
    EXPECT_TRUE(code().verify(chunks).value().empty()) << stripe;
  }
  EXPECT_TRUE(verify(coded).findings.empty());
  expect_decodes(coded);
}

TEST_P(EveryCode, GivesSmallFilesBack) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, granule() * code().k() + 1}) {
    const CodedSet coded(GetParam(), size, granule());
    coded.remove(0);
    expect_decodes(coded);
  }
}

TEST_P(EveryCode, BearsWhatItsToleranceSays) {
  const CodedSet coded = coded_set();
  const auto shards = coded.snapshot();
  for (unsigned first = 0; first < code().n(); ++first) {
    ChunkSet lost;
    for (unsigned i = 0; i < code().tolerance(); ++i) lost.insert((first + 2 * i) % code().n());
    for (const unsigned index : lost) coded.remove(index);
    expect_decodes(coded);
    const auto report = repair(coded, first % 2 == 0 ? Reading::all : Reading::needed);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->rebuilt, lost);
    ASSERT_TRUE(coded.snapshot() == shards) << first;
  }
}

/// Beyond the tolerance, exactly those losses are borne that are decodable: none of an MDS code, some of another.
TEST_P(EveryCode, DecodesWhatIsDecodable) {
  if (code().tolerance() + 1 == code().n()) return;  // No shard would be left.
  const CodedSet coded = coded_set();
  const auto shards = coded.snapshot();
  unsigned borne = 0, refused = 0;
  for (unsigned mask = 0; mask < 1u << code().n(); ++mask) {
    if (static_cast<unsigned>(std::popcount(mask)) != code().tolerance() + 1) continue;
    ChunkSet lost;
    for (unsigned index = 0; index < code().n(); ++index)
      if ((mask >> index & 1) != 0) lost.insert(index);
    const bool decodable = code().decodable(all() - lost);
    if (++(decodable ? borne : refused) % 8 != 1) continue;  // Some of them.
    for (const unsigned index : lost) coded.remove(index);
    EXPECT_EQ(verify(coded).block_rows_lost, decodable ? 0 : row_count(coded));
    const auto report = repair(coded, Reading::all);
    ASSERT_EQ(report.has_value(), decodable) << mask;
    if (!decodable) expect_too_many(report.error(), lost);
    for (const unsigned index : decodable ? ChunkSet() : lost) write_file(coded.shard(index), shards[index]);
    ASSERT_TRUE(coded.snapshot() == shards) << mask;
  }
  EXPECT_EQ(borne > 0, code().tolerance() < code().m());
  EXPECT_GT(refused, 0u);
}

/// Rot in every shard, in blocks of different rows, and in one row as much as the code bears.
TEST_P(EveryCode, MendsRotRowByRow) {
  const CodedSet coded = coded_set();
  const auto shards = coded.snapshot();
  const layout::Rows rows(code().alpha(), code().packet_size());
  const std::size_t part_size = rows.part_size(coded.striping().chunk_size(0));
  const auto block = [&](unsigned part, std::size_t row, std::size_t byte) {
    return (part * part_size + row * rows.piece_size() + byte) / layout::block_size;
  };
  const auto last = [](std::size_t size) { return size - 1; };
  for (unsigned i = 0; i < code().tolerance(); ++i)  // Not the same block of the row.
    coded.rot_block(i, 0, i % 2 == 0 ? block(0, 0, 0) : block(rows.part_count() - 1, 0, last(rows.piece_size())));
  for (unsigned i = 0; i < code().tolerance(); ++i)
    coded.rot_block(code().n() - 1 - i, 0, block(rows.part_count() / 2, 1, 0));
  expect_decodes(coded);
  EXPECT_EQ(verify(coded).block_rows_lost, 0u);
  ASSERT_TRUE(repair(coded, Reading::all));
  EXPECT_TRUE(coded.snapshot() == shards);
  EXPECT_TRUE(verify(coded).findings.empty());
}

TEST_P(EveryCode, CountsTheRowsThatAreBeyondRepair) {
  const CodedSet coded = coded_set();
  const layout::Rows rows(code().alpha(), code().packet_size());
  for (unsigned index = 0; index < code().n(); ++index) {
    const std::size_t block = rows.piece_size() / layout::block_size - 1;  // The last of the first piece.
    coded.rot_block(index, 0, block);
    coded.rot_block(index, 2, block);
  }
  EXPECT_EQ(verify(coded).block_rows_lost, 2u);
  EXPECT_FALSE(repair(coded, Reading::all));
}

/// The blocks that a plan touches, counted one by one.
std::size_t blocks_touched(const Plan& plan) {
  std::set<std::pair<unsigned, std::size_t>> blocks;
  for (const ChunkRange& read : plan.reads())
    for (std::size_t at = read.offset / 4096; at <= (read.offset + read.length - 1) / 4096; ++at)
      blocks.insert({read.chunk, at});
  return blocks.size();
}

/// Nothing but the blocks that the plan for whole chunks names, and the checksum areas beside them.
TEST_P(EveryCode, ReadsWhatThePlanNames) {
  const CodedSet coded = coded_set();
  const auto shards = coded.snapshot();
  const layout::Striping striping = coded.striping();
  for (unsigned lost = 0; lost < code().n(); ++lost) {
    std::uint64_t expected = 0;
    for (std::uint64_t stripe = 0; stripe < striping.stripe_count(); ++stripe) {
      std::pair<std::size_t, std::size_t> least{SIZE_MAX, 0};  // Blocks, chunks.
      for (const RepairGoal goal : {RepairGoal::fewest_bytes, RepairGoal::fewest_chunks}) {
        const Plan plan = code().plan_repair(all() - ChunkSet{lost}, {lost}, striping.chunk_size(stripe), goal).value();
        least = std::min(least, {blocks_touched(plan), plan.cost().chunks});
      }
      expected += least.first * layout::block_size + least.second * striping.area_size(stripe);
    }
    coded.remove(lost);
    const auto report = repair(coded, Reading::needed);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->bytes_read, expected) << lost;
    EXPECT_EQ(report->data_bytes, striping.padded_length());
    ASSERT_TRUE(coded.snapshot() == shards) << lost;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, EveryCode, testing::ValuesIn(codes), [](const auto& which) {
  std::string name = which.param;
  std::erase_if(name, [](char c) { return c == ')'; });
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

/// A new family needs a line above.
TEST(EveryFamily, IsTested) {
  for (const std::string_view usage : Code::families()) {
    const std::string_view name = usage.substr(0, usage.find('(') + 1);
    const auto begins = [&](const char* code) { return std::string_view(code).starts_with(name); };
    EXPECT_TRUE(std::ranges::any_of(codes, begins)) << usage;
  }
}

}  // namespace
}  // namespace parapet::shard
