// For tests: codes of every family in several shapes, also shortened ones, with and without packets.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "codec/test_stripe.h"

namespace parapet::codec {

/// n <= 8: all sets of losses and of wanted chunks can be tried.
inline constexpr const char* tiny_codes[] = {"rs(1,1)",
                                             "rs(4,1)",
                                             "rs(1,4)",
                                             "rs(4,2)",
                                             "rs(3,5)",
                                             "rs(4,4,matrix=isal)",
                                             "rs(4,3,matrix=jerasure)",
                                             "rs(3,5,matrix=vandermonde)",
                                             "rs(5,3,matrix=par1)",
                                             "rs(4,4,matrix=par1,unsafe=yes)",
                                             "reed_sol_r6_op(5,2)",
                                             "xrs(1,2)",
                                             "xrs(2,2)",
                                             "xrs(2,4)",
                                             "xrs(4,2)",
                                             "xrs(4,3)",
                                             "xrs(3,5)",
                                             "hitchhiker(1,2)",
                                             "hitchhiker(1,4)",
                                             "hitchhiker(4,2)",
                                             "hitchhiker(5,3)",
                                             "hitchhiker(2,6)",
                                             "lrc(1,1,1)",
                                             "lrc(4,1,2)",
                                             "lrc(4,2,1)",
                                             "lrc(4,2,2)",
                                             "lrc(3,3,2)",
                                             "lrc(3,2,3)",
                                             "lrc(4,2,2,groups=uniform)",
                                             "lrc(4,2,1,groups=uniform)",
                                             "lrc(5,1,2,groups=uniform)",
                                             "clay(1,2)",
                                             "clay(4,2)",
                                             "clay(3,3)",
                                             "rdp(1,2)",
                                             "rdp(2,2,p=5)",
                                             "rdp(4,2)",
                                             "rdp(6,2)",
                                             "evenodd(1,2)",
                                             "evenodd(3,2)",
                                             "evenodd(3,2,p=7)",
                                             "evenodd(5,2)",
                                             "cauchy_orig(2,2,w=2)",
                                             "cauchy_orig(3,3,w=4,packetsize=8)",
                                             "cauchy_good(1,1,w=3,packetsize=8)",
                                             "cauchy_good(4,2,w=4)",
                                             "cauchy_good(4,3,w=3,packetsize=24)",
                                             "cauchy_good(3,2,w=12)",
                                             "liberation(2,2)",
                                             "liberation(3,2,packetsize=8)",
                                             "liberation(4,2,w=7)",
                                             "blaum_roth(2,2,w=2)",
                                             "blaum_roth(4,2)",
                                             "blaum_roth(3,2,w=6,packetsize=24)",
                                             "blaum_roth(4,2,w=7,packetsize=8,unsafe=yes)",
                                             "liber8tion(2,2)",
                                             "liber8tion(5,2,packetsize=8)",
                                             "xor(1,1)",
                                             "xor(6,1)",
                                             "replication(1,1)",
                                             "replication(1,5)"};

/// 8 < n <= 14: all sets of losses can be tried.
inline constexpr const char* small_codes[] = {"rs(13,1)",
                                              "rs(1,13)",
                                              "rs(10,4)",
                                              "rs(7,7)",
                                              "rs(5,8)",
                                              "rs(11,3,matrix=isal)",
                                              "rs(5,5,matrix=isal)",
                                              "rs(8,6,matrix=jerasure)",
                                              "rs(10,4,matrix=vandermonde)",
                                              "rs(7,4,matrix=par1,unsafe=yes)",
                                              "reed_sol_r6_op(12,2)",
                                              "xrs(6,3)",
                                              "xrs(12,2)",
                                              "xrs(10,4)",
                                              "xrs(6,6)",
                                              "xrs(3,7)",
                                              "hitchhiker(6,3)",
                                              "hitchhiker(8,4)",
                                              "hitchhiker(5,5)",
                                              "lrc(6,3,2)",
                                              "lrc(7,2,4)",
                                              "lrc(10,2,2)",
                                              "lrc(9,2,3,groups=uniform)",
                                              "lrc(8,3,2,groups=uniform)",
                                              "clay(6,3)",
                                              "clay(7,2)",
                                              "clay(5,4)",
                                              "rdp(9,2)",
                                              "rdp(12,2)",
                                              "evenodd(11,2)",
                                              "cauchy_orig(6,3,w=4,packetsize=24)",
                                              "cauchy_good(10,4,w=4,packetsize=8)",
                                              "cauchy_good(7,3,w=5)",
                                              "liberation(7,2,packetsize=24)",
                                              "liberation(8,2)",
                                              "blaum_roth(10,2)",
                                              "liber8tion(8,2,packetsize=24)",
                                              "xor(12,1)",
                                              "replication(1,9)"};

/// For random losses.
inline constexpr const char* large_codes[] = {"rs(12,4)",
                                              "rs(20,5)",
                                              "rs(20,4,matrix=isal)",
                                              "rs(64,16)",
                                              "rs(255,1)",
                                              "rs(1,255)",
                                              "rs(253,3,matrix=isal)",
                                              "rs(253,3,matrix=par1)",
                                              "rs(200,56)",
                                              "rs(128,128)",
                                              "rs(100,156,matrix=vandermonde)",
                                              "rs(150,106,matrix=jerasure)",
                                              "rs(255,1,matrix=jerasure)",
                                              "rs(1,255,matrix=vandermonde)",
                                              "rs(22,4,matrix=isal,unsafe=yes)",
                                              "reed_sol_r6_op(254,2)",
                                              "xrs(12,4)",
                                              "xrs(20,5)",
                                              "xrs(60,4)",
                                              "xrs(254,2)",
                                              "xrs(1,255)",
                                              "xrs(100,60)",
                                              "hitchhiker(12,4)",
                                              "hitchhiker(60,4)",
                                              "hitchhiker(254,2)",
                                              "hitchhiker(60,20)",
                                              "lrc(12,2,2)",
                                              "lrc(12,2,2,groups=uniform)",
                                              "lrc(48,4,3)",
                                              "lrc(96,5,4,groups=uniform)",
                                              "lrc(200,50,6)",
                                              "clay(10,4)",
                                              "clay(14,2)",
                                              "clay(7,5)",
                                              "rdp(16,2)",
                                              "rdp(23,2,p=31)",
                                              "evenodd(17,2)",
                                              "evenodd(20,2,p=31)",
                                              "cauchy_orig(12,4,packetsize=24)",
                                              "cauchy_good(10,4)",
                                              "cauchy_good(12,4,packetsize=8)",
                                              "cauchy_good(20,5,w=16)",
                                              "cauchy_good(6,3,w=32,packetsize=8)",
                                              "liberation(17,2,packetsize=8)",
                                              "blaum_roth(16,2,packetsize=8)",
                                              "blaum_roth(20,2)",
                                              "xor(255,1)",
                                              "replication(1,255)"};

/// Several lists as one.
template <std::size_t... sizes>
std::vector<const char*> joined(const char* const (&... lists)[sizes]) {
  std::vector<const char*> result;
  (result.insert(result.end(), lists, lists + sizes), ...);
  return result;
}

/// The codes of a family in some lists: one test goes through all of them.
struct FamilyCodes {
  std::string family;
  std::vector<const char*> codes;
  friend void PrintTo(const FamilyCodes& self, std::ostream* out) { *out << self.family; }
};

template <std::size_t... sizes>
std::vector<FamilyCodes> by_family(const char* const (&... lists)[sizes]) {
  std::map<std::string, FamilyCodes> families;
  for (const char* const text : joined(lists...)) {
    const std::string code(text), family = code.substr(0, code.find('('));
    families[family].family = family;
    families[family].codes.push_back(text);
  }
  std::vector<FamilyCodes> result;
  for (auto& [name, family] : families) result.push_back(std::move(family));
  return result;
}

/// The family as the name of a test.
inline std::string family_name(const testing::TestParamInfo<FamilyCodes>& info) { return info.param.family; }

class FamilyTest : public testing::TestWithParam<FamilyCodes> {
 protected:
  /// Calls check(oracle, code) for every code of the family.
  template <class Check>
  void for_each_code(Check check) const {
    for (const char* const text : GetParam().codes) {
      SCOPED_TRACE(text);
      check(Oracle(text), parse(text));
      if (HasFatalFailure()) return;
    }
  }
};

}  // namespace parapet::codec
