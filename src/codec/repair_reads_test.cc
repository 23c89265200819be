// What repairs read, against the optima that are known or that brute force finds. Every plan is run on copies of what
// it reads and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "codec/oracle/groups.h"
#include "codec/plan_check.h"
#include "codec/test_codes.h"

namespace parapet::codec {
namespace {

/// A code with a stripe, whose repairs are planned and run.
class Repairs {
 public:
  explicit Repairs(const char* text) : Repairs(Oracle(text), parse(text)) {}
  Repairs(Oracle oracle, Code code)
      : oracle_(std::move(oracle)),
        code_(std::move(code)),
        prng_(1),
        stripe_(random_stripe(oracle_, prng_, chunk_size_from(oracle_, 16))) {}

  [[nodiscard]] const Oracle& oracle() const { return oracle_; }

  /// What the repair of `lost` costs, in sub-chunks for bytes, when some others are missing too.
  PlanCost cost(const ChunkSet& lost, RepairGoal goal = RepairGoal::fewest_bytes, const ChunkSet& missing = {}) {
    SCOPED_TRACE(code_.text() + " lost " + to_text(lost) + " and is without " + to_text(missing));
    const ChunkSet available = all_chunks(oracle_) - lost - missing;
    const auto plan = code_.plan_repair(available, lost, stripe_[0].size(), goal);
    if (!plan.has_value()) {
      ADD_FAILURE() << plan.error().message();
      return {};
    }
    check_repair(*plan, stripe_, available, lost, prng_);
    PlanCost cost = plan->cost();
    cost.bytes = cost.bytes * oracle_.alpha() / stripe_[0].size();
    return cost;
  }

  ChunkSet chunks_read(unsigned lost) {
    return code_.plan_repair(all_chunks(oracle_) - ChunkSet{lost}, {lost}, stripe_[0].size())->chunks_read();
  }

 private:
  Oracle oracle_;
  Code code_;
  base::Prng prng_;
  std::vector<Bytes> stripe_;
};

/// The least number of sub-chunks with which `lost` can be repaired at all, for a code over GF(2) with few sub-chunks.
/// Every repair is linear: each lost sub-chunk is a sum of others, and with it a word of the dual code. So the least is
/// the smallest union of the words, one for each lost sub-chunk.
class LeastReads {
 public:
  LeastReads(const Oracle& oracle, unsigned lost) : words_(oracle.alpha()) {
    const unsigned alpha = oracle.alpha();
    const std::uint64_t lost_bits = ((std::uint64_t{1} << alpha) - 1) << (lost * alpha);
    for (const std::uint64_t word : dual(oracle))
      if (std::has_single_bit(word & lost_bits))
        words_[static_cast<std::size_t>(std::countr_zero(word & lost_bits)) - lost * alpha].push_back(word &
                                                                                                      ~lost_bits);
    for (auto& words : words_) std::ranges::sort(words, {}, [](std::uint64_t word) { return std::popcount(word); });
    search(0, 0);
  }
  [[nodiscard]] std::size_t count() const { return least_; }

 private:
  /// All sums of checks; bit (chunk, sub) of a word says whether the sub-chunk is in it.
  static std::vector<std::uint64_t> dual(const Oracle& oracle) {
    std::vector<std::uint64_t> words{0};
    for (std::size_t row = 0; row < oracle.generator().size(); ++row) {
      std::uint64_t check = std::uint64_t{1} << (oracle.k() * oracle.alpha() + row);
      for (std::size_t column = 0; column < oracle.generator()[row].size(); ++column)
        check |= std::uint64_t{oracle.generator()[row][column]} << column;
      for (std::size_t i = 0, before = words.size(); i < before; ++i) words.push_back(words[i] ^ check);
    }
    return words;
  }

  void search(std::size_t sub, std::uint64_t read) {
    const auto count = static_cast<std::size_t>(std::popcount(read));
    if (count >= least_) return;
    if (sub == words_.size()) {
      least_ = count;
      return;
    }
    for (const std::uint64_t word : words_[sub]) search(sub + 1, read | word);
  }

  std::vector<std::vector<std::uint64_t>> words_;  // by lost sub-chunk, without it
  std::size_t least_ = 64;
};

// Xiang, Xu, Lui, Chang, SIGMETRICS 2010: three quarters, and no less.
TEST(RepairReads, RdpOfFullSizeReadsThreeQuarters) {
  for (const auto& [text, p] : {std::pair{"rdp(4,2)", 5u}, {"rdp(6,2)", 7u}, {"rdp(10,2)", 11u}, {"rdp(12,2)", 13u}}) {
    Repairs repairs(text);
    for (unsigned lost = 0; lost < p; ++lost)  // data, and the first parity, which is a column like them
      EXPECT_EQ(repairs.cost({lost}).bytes, 3 * (p - 1) * (p - 1) / 4) << text << " chunk " << lost;
    EXPECT_EQ(repairs.cost({p}).bytes, (p - 1) * (p - 1)) << text;
  }
}

/// Whether the repairs of the chunks below `end` read the least.
void expect_least(const char* text, unsigned end) {
  Repairs repairs(text);
  for (unsigned lost = 0; lost < end; ++lost)
    EXPECT_EQ(repairs.cost({lost}).bytes, LeastReads(repairs.oracle(), lost).count()) << text << " chunk " << lost;
}

TEST(RepairReads, RdpAndEvenoddReadTheLeastThereCanBe) {
  for (const char* const text : {"rdp(2,2)", "rdp(4,2)", "rdp(3,2)", "rdp(2,2,p=5)", "rdp(6,2)", "rdp(5,2)",
                                 "evenodd(3,2)", "evenodd(5,2)", "evenodd(7,2)"})
    expect_least(text, Oracle(text).n());
}

TEST(RepairReads, DataOfShortenedAndSparseCodesReadTheLeastThereCanBe) {
  for (const char* const text :
       {"evenodd(4,2)", "evenodd(3,2,p=5)", "evenodd(6,2)", "evenodd(4,2,p=7)", "liberation(3,2)", "liberation(5,2)",
        "liberation(4,2)", "blaum_roth(4,2)", "blaum_roth(3,2)", "blaum_roth(2,2,w=6)"})
    expect_least(text, Oracle(text).k());
}

// (k + |S|) / 2 chunks for data whose half a rides with the group S; everything for parity.
TEST(RepairReads, XrsReadsHalfOfKAndTheGroup) {
  for (const char* const text : {"xrs(1,2)", "xrs(2,2)", "xrs(2,4)", "xrs(4,2)", "xrs(3,3)", "xrs(6,3)", "xrs(5,4)",
                                 "xrs(8,4)", "xrs(10,4)", "xrs(12,4)", "xrs(20,5)"}) {
    Repairs repairs(text);
    const unsigned k = repairs.oracle().k(), m = repairs.oracle().m();
    for (unsigned lost = 0; lost < k; ++lost) {
      const auto group = oracle::xrs_group(k, m, oracle::xrs_parity(lost, m));
      EXPECT_EQ(repairs.cost({lost}).bytes, k + group.size()) << text << " chunk " << lost;
    }
    for (unsigned lost = k; lost < k + m; ++lost)
      EXPECT_EQ(repairs.cost({lost}).bytes, 2 * k) << text << " chunk " << lost;
  }
}

// As its header says: k + |S_i| halves for data of group i < m, k + |S_m| + m - 2 for data of group m.
TEST(RepairReads, HitchhikerReadsHalfOfKAndTheGroup) {
  for (const char* const text : {"hitchhiker(1,2)", "hitchhiker(4,2)", "hitchhiker(6,3)", "hitchhiker(8,4)",
                                 "hitchhiker(10,4)", "hitchhiker(12,4)", "hitchhiker(20,5)"}) {
    Repairs repairs(text);
    const unsigned k = repairs.oracle().k(), m = repairs.oracle().m();
    const auto groups = oracle::hitchhiker_groups(k, m);
    std::size_t total = 0;
    for (unsigned i = 1; i <= m; ++i)
      for (const unsigned lost : groups[i - 1]) {
        const std::size_t expected = k + groups[i - 1].size() + (i == m ? m - 2 : 0);
        EXPECT_EQ(repairs.cost({lost}).bytes, std::min<std::size_t>(expected, 2 * k)) << text << " chunk " << lost;
        total += expected;
      }
    const bool is_the_papers = std::string(text) == "hitchhiker(10,4)";
    EXPECT_EQ(total == 130, is_the_papers) << total << " halves; in the paper 65 % of 10 * 20";
    for (unsigned lost = k; lost < k + m; ++lost)
      EXPECT_LE(repairs.cost({lost}).bytes, 2 * k) << text << " chunk " << lost;
  }
}

// (n - 1) / m chunks for every chunk: the least that an MDS code can read (Dimakis et al., IEEE Trans. IT 56(9), 2010).
TEST(RepairReads, ClayReadsAnMthOfAllOthers) {
  for (const char* const text :
       {"clay(1,2)", "clay(4,2)", "clay(5,2)", "clay(6,3)", "clay(5,3)", "clay(8,4)", "clay(6,4)"}) {
    Repairs repairs(text);
    const Oracle& oracle = repairs.oracle();
    for (unsigned lost = 0; lost < oracle.n(); ++lost) {
      EXPECT_EQ(repairs.cost({lost}).bytes, (oracle.n() - 1) * oracle.alpha() / oracle.m())
          << text << " chunk " << lost;
    }
  }
}

/// Chunks that are all read to repair any one of them.
struct LocalGroup {
  const char* text;
  std::vector<ChunkSet> groups;
};
const LocalGroup local_groups[] = {
    {"lrc(12,2,2)", {{0, 1, 2, 3, 4, 5, 12}, {6, 7, 8, 9, 10, 11, 13}}},
    {"lrc(7,3,2)", {{0, 1, 2, 7}, {3, 4, 8}, {5, 6, 9}}},
    {"lrc(10,2,4)", {{0, 1, 2, 3, 4, 10}, {5, 6, 7, 8, 9, 11}}},
    {"lrc(12,2,2,groups=uniform)", {{0, 1, 2, 3, 4, 5, 6, 12}, {7, 8, 9, 10, 11, 13, 14, 15}}},
    {"lrc(10,3,3,groups=uniform)", {{0, 1, 2, 3, 4, 10}, {5, 6, 7, 8, 11}, {9, 12, 13, 14, 15}}},
};

TEST(RepairReads, LrcReadsTheLocalGroup) {
  for (const auto& [text, groups] : local_groups) {
    Repairs repairs(text);
    ChunkSet local;
    for (const ChunkSet& group : groups) {
      local = local | group;
      for (const unsigned lost : group)
        for (const RepairGoal goal : {RepairGoal::fewest_bytes, RepairGoal::fewest_chunks}) {
          const PlanCost cost = repairs.cost({lost}, goal);
          EXPECT_EQ(cost.bytes, group.count() - 1) << text << " chunk " << lost;
          EXPECT_EQ(cost.chunks, group.count() - 1) << text << " chunk " << lost;
          EXPECT_EQ(repairs.chunks_read(lost), group - ChunkSet{lost}) << text;
        }
    }
    for (const unsigned lost : all_chunks(repairs.oracle()) - local)  // a global parity outside the groups
      EXPECT_EQ(repairs.cost({lost}).bytes, repairs.oracle().k()) << text << " chunk " << lost;
  }
}

// Or k chunks, where that is less.
TEST(RepairReads, LossesInTwoLocalGroupsReadBoth) {
  for (const auto& [text, groups] : local_groups) {
    Repairs repairs(text);
    for (const unsigned a : groups[0])
      for (const unsigned b : groups[1])
        EXPECT_EQ(repairs.cost({a, b}).bytes, std::min(repairs.oracle().k(), groups[0].count() + groups[1].count() - 2))
            << text << " " << a << " " << b;
  }
}

/// The fewest sub-chunks read by any set of the code's checks that determines what is lost.
std::size_t least_by_sets_of_checks(const Oracle& oracle, const ChunkSet& lost) {
  const unsigned alpha = oracle.alpha(), column_count = oracle.n() * alpha;
  std::vector<Bytes> checks = oracle.generator();
  for (std::size_t row = 0; row < checks.size(); ++row) {
    checks[row].resize(column_count);
    checks[row][oracle.k() * alpha + row] = 1;
  }
  std::size_t least = column_count;
  for (unsigned set = 1; set < 1u << checks.size(); ++set) {
    std::vector<Bytes> unknown_parts;
    std::vector<bool> is_read(column_count);
    for (std::size_t row = 0; row < checks.size(); ++row) {
      if ((set >> row & 1) == 0) continue;
      unknown_parts.emplace_back();
      for (unsigned column = 0; column < column_count; ++column) {
        if (lost.contains(column / alpha)) unknown_parts.back().push_back(checks[row][column]);
        if (!lost.contains(column / alpha) && checks[row][column] != 0) is_read[column] = true;
      }
    }
    const auto count = static_cast<std::size_t>(std::ranges::count(is_read, true));
    if (count < least && oracle::rank(unknown_parts) == std::size_t{lost.count()} * alpha) least = count;
  }
  return least;
}

TEST(RepairReads, TwoLossesInXrsReadTheLeastOfAllSetsOfChecks) {
  std::size_t below_k_chunks = 0;
  for (const char* const text : {"xrs(6,3)", "xrs(8,4)", "xrs(8,5)", "hitchhiker(6,3)"}) {
    Repairs repairs(text);
    const Oracle& oracle = repairs.oracle();
    for (unsigned a = 0; a < oracle.n(); ++a)
      for (unsigned b = 0; b < a; ++b) {
        const std::size_t bytes = repairs.cost({a, b}).bytes;
        EXPECT_EQ(bytes, least_by_sets_of_checks(oracle, {a, b})) << text << " chunks " << a << " and " << b;
        below_k_chunks += bytes < 2 * oracle.k() ? 1 : 0;  // of xrs(8,5): there are groups enough
      }
  }
  EXPECT_GT(below_k_chunks, 0u);
}

class RepairGoals : public FamilyTest {};

TEST_P(RepairGoals, EachGoalIsBestAtItsOwn) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    Repairs repairs(oracle, code);
    base::Prng prng(2);
    std::vector<ChunkSet> losses;
    for (unsigned lost = 0; lost < oracle.n(); ++lost) losses.push_back({lost});
    for (int round = 0; round < 10 && oracle.m() > 1; ++round) losses.push_back(random_loss(prng, oracle, 2));
    for (const ChunkSet& lost : losses) {
      const PlanCost bytes = repairs.cost(lost, RepairGoal::fewest_bytes);
      const PlanCost chunks = repairs.cost(lost, RepairGoal::fewest_chunks);
      EXPECT_LE(bytes.bytes, chunks.bytes) << to_text(lost);
      EXPECT_LE(chunks.chunks, bytes.chunks) << to_text(lost);
      EXPECT_TRUE(!oracle.is_mds() || chunks.chunks == oracle.k()) << to_text(lost) << ": " << chunks.chunks;
    }
  });
}

// A helper that is slow or gone: the plan is another one, right, and does not get cheaper.
TEST_P(RepairGoals, WithoutAHelperThePlanIsFoundAgain) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    Repairs repairs(oracle, code);
    base::Prng prng(3);
    for (unsigned lost = 0; lost < oracle.n(); ++lost) {
      const PlanCost cost = repairs.cost({lost});
      for (const unsigned helper : random_subset(prng, repairs.chunks_read(lost), 1)) {
        if (!oracle.determines(all_chunks(oracle) - ChunkSet{lost, helper}, lost)) continue;
        for (const RepairGoal goal : {RepairGoal::fewest_bytes, RepairGoal::fewest_chunks})
          EXPECT_GE(repairs.cost({lost}, goal, {helper}).bytes, cost.bytes) << lost << " without " << helper;
      }
    }
  });
}

constexpr const char* more_codes[] = {"rs(12,4)", "hitchhiker(12,4)", "lrc(12,2,2)", "cauchy_good(10,4)",
                                      "evenodd(12,2)"};
INSTANTIATE_TEST_SUITE_P(Codes, RepairGoals, testing::ValuesIn(by_family(tiny_codes, small_codes, more_codes)),
                         family_name);

}  // namespace
}  // namespace parapet::codec
