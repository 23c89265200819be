// Parameters outside a family's limits: the message names the rule that is broken and the nearest legal value.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "codec/families.h"
#include "codec/test_stripe.h"

namespace parapet::codec {
namespace {

struct Refused {
  const char* text;
  const char* message;  // after "code: "
};

constexpr const char* m_is_2_only = "m is 3; this family has m = 2 only";
constexpr const char* too_many_chunks = "k + m is 257, the most is 256";
constexpr const char* too_small = "k and m must be at least 1";
constexpr const char* no_number = "p, w and packetsize take whole numbers below 2^32";
constexpr const char* packet_options = "the options are w, packetsize and unsafe";

constexpr Refused refused[] = {
    {"rs(4)", "1 numbers were given, k and m are wanted, as in rs(12,4)"},
    {"rs(4,2,3)", "3 numbers were given, k and m are wanted, as in rs(12,4)"},
    {"rs(0,2)", too_small},
    {"rs(4,0)", too_small},
    {"rs(255,2)", too_many_chunks},
    {"rs(4,2,w=8)", "rs has two options: matrix and unsafe"},
    {"rs(4,2,matrix=x)", "unknown matrix; known: cauchy, isal, jerasure, vandermonde, par1"},
    {"rs(4,2,unsafe=yes)", "rs with this matrix is always MDS: leave unsafe out"},
    {"rs(4,2,matrix=isal,unsafe=no)", "the option unsafe takes only the value yes"},
    {"rs(22,4,matrix=isal)",
     "with this matrix, 2 of 14950 losses of m chunks cannot be decoded; use matrix=cauchy, or take it as it is with "
     "unsafe=yes"},
    {"rs(6,4,matrix=par1)",
     "with this matrix, 5 of 210 losses of m chunks cannot be decoded; use matrix=cauchy, or take it as it is with "
     "unsafe=yes"},
    {"rs(200,50,matrix=isal)", "with this matrix, some losses of m chunks cannot be decoded; use matrix=cauchy"},
    {"rs(100,50,matrix=par1,unsafe=yes)",
     "too large for unsafe=yes: to try all losses of 3 chunks would take too long"},

    {"reed_sol_r6_op(4,3)", m_is_2_only},
    {"reed_sol_r6_op(255,2)", too_many_chunks},
    {"reed_sol_r6_op(4,2,w=16)", "reed_sol_r6_op has no options; its w is 8"},

    {"xrs(4,1)", "xrs needs m >= 2: one parity stays plain, the others carry; use rs"},
    {"xrs(0,2)", too_small},
    {"xrs(255,2)", too_many_chunks},
    {"xrs(4,2,w=8)", "xrs has no options"},
    {"hitchhiker(4,1)",
     "m is 1, but hitchhiker needs m >= 2: one parity stays plain, the others carry; use rs or m = 2"},
    {"hitchhiker(0,2)", too_small},
    {"hitchhiker(255,2)", too_many_chunks},
    {"hitchhiker(4,2,w=8)", "hitchhiker has no options"},

    {"lrc(12,2)", "2 numbers were given, k, l and g are wanted, as in lrc(12,2,2)"},
    {"lrc(12,0,2)", "k, l and g must be at least 1; without global parities use xor in groups of your own"},
    {"lrc(12,2,0)", "k, l and g must be at least 1; without global parities use xor in groups of your own"},
    {"lrc(0,2,2)", "k, l and g must be at least 1; without global parities use xor in groups of your own"},
    {"lrc(200,50,7)", "k + l + g is 257, the most is 256"},
    {"lrc(4294967295,4294967295,4294967295)", "k + l + g is 12884901885, the most is 256"},
    {"lrc(4,5,1)", "l is 5, more groups than the k = 4 data chunks; the nearest legal l is 4"},
    {"lrc(12,2,2,l=3)", "lrc has one option: groups"},
    {"lrc(12,2,2,groups=x)", "groups is data or uniform"},

    {"clay(4,1)", "m is 1, and clay needs m >= 2 to read less than all; use xor or m = 2"},
    {"clay(0,2)", too_small},
    {"clay(255,2)", too_many_chunks},
    {"clay(4,2,d=5)", "clay has no options"},
    {"clay(24,2)",
     "alpha = m^ceil((k+m)/m) would be above 4096, and a chunk at least as many blocks; with m = 2 the most is k = "
     "22"},
    {"clay(190,32)",
     "alpha = m^ceil((k+m)/m) would be above 4096, and a chunk at least as many blocks; with m = 32 the most is k = "
     "32"},
    {"clay(2,33)", "m is 33; the most for clay is 32"},

    {"rdp(4,3)", m_is_2_only},
    {"rdp(0,2)", too_small},
    {"rdp(255,2)", too_many_chunks},
    {"rdp(4,2,w=5)", "rdp has one option: p"},
    {"rdp(4,2,p=x)", no_number},
    {"rdp(4,2,p=4294967296)", no_number},
    {"rdp(4,2,p=4)", "p is 4; it must be a prime above k = 4 and from 3 to 257; the nearest is 5"},
    {"rdp(4,2,p=3)", "p is 3; it must be a prime above k = 4 and from 3 to 257; the nearest is 5"},
    {"rdp(4,2,p=8)", "p is 8; it must be a prime above k = 4 and from 3 to 257; the nearest is 7"},
    {"rdp(5,2,p=5)", "p is 5; it must be a prime above k = 5 and from 3 to 257; the nearest is 7"},
    {"rdp(1,2,p=2)", "p is 2; it must be a prime above k = 1 and from 3 to 257; the nearest is 3"},
    {"rdp(4,2,p=263)", "p is 263; it must be a prime above k = 4 and from 3 to 257; the nearest is 257"},
    {"evenodd(4,3)", m_is_2_only},
    {"evenodd(0,2)", too_small},
    {"evenodd(255,2)", too_many_chunks},
    {"evenodd(4,2,x=1)", "evenodd has one option: p"},
    {"evenodd(4,2,p=-5)", no_number},
    {"evenodd(5,2,p=3)", "p is 3; it must be a prime from k = 5 and from 3 to 257; the nearest is 5"},
    {"evenodd(4,2,p=9)", "p is 9; it must be a prime from k = 4 and from 3 to 257; the nearest is 11"},
    {"evenodd(4,2,p=1000)", "p is 1000; it must be a prime from k = 4 and from 3 to 257; the nearest is 257"},

    {"cauchy_orig(0,2)", too_small},
    {"cauchy_orig(255,2)", too_many_chunks},
    {"cauchy_orig(4,2,p=5)", packet_options},
    {"cauchy_orig(4,2,w=x)", no_number},
    {"cauchy_orig(4,2,w=1)", "w is 1; it is from 2 to 32"},
    {"cauchy_orig(4,2,w=33)", "w is 33; it is from 2 to 32"},
    {"cauchy_orig(10,7,w=4)", "k + m is 17, more than 2^w with w = 4; the nearest legal w is 5"},
    {"cauchy_good(3,2,w=2)", "k + m is 5, more than 2^w with w = 2; the nearest legal w is 3"},
    {"cauchy_good(4,2,unsafe=yes)", "every legal cauchy code is MDS: leave unsafe out"},
    {"cauchy_good(4,2,packetsize=x)", no_number},
    {"cauchy_good(4,2,packetsize=0)", "packetsize is 0, which is no positive multiple of 8; the nearest is 8"},
    {"cauchy_good(4,2,packetsize=3)", "packetsize is 3, which is no positive multiple of 8; the nearest is 8"},
    {"cauchy_good(4,2,packetsize=13)", "packetsize is 13, which is no positive multiple of 8; the nearest is 16"},
    {"cauchy_good(4,2,packetsize=17)", "packetsize is 17, which is no positive multiple of 8; the nearest is 16"},
    {"cauchy_good(4,2,packetsize=4294967295)", "packetsize is 4294967295; the most is 1073741824"},

    {"liberation(4,3)", m_is_2_only},
    {"liberation(0,2)", too_small},
    {"liberation(252,2)", "k is 252; liberation takes at most 251, its largest w"},
    {"liberation(4,2,p=5)", packet_options},
    {"liberation(4,2,packetsize=9)", "packetsize is 9, which is no positive multiple of 8; the nearest is 8"},
    {"liberation(4,2,w=3)", "w is 3; it must be a prime of at least 3 and at least k = 4; the nearest is 5"},
    {"liberation(4,2,w=8)", "w is 8; it must be a prime of at least 3 and at least k = 4; the nearest is 7"},
    {"liberation(2,2,w=2)", "w is 2; it must be a prime of at least 3 and at least k = 2; the nearest is 3"},
    {"liberation(4,2,w=256)", "w is 256; it must be a prime of at least 3 and at least k = 4; the nearest is 251"},
    {"liberation(4,2,w=257)", "w is 257; it is from 2 to 256"},
    {"liberation(4,2,unsafe=yes)", "every legal liberation code is MDS: leave unsafe out"},

    {"blaum_roth(4,3)", m_is_2_only},
    {"blaum_roth(0,2)", too_small},
    {"blaum_roth(255,2)", too_many_chunks},
    {"blaum_roth(4,2,p=5)", packet_options},
    {"blaum_roth(4,2,packetsize=28)", "packetsize is 28, which is no positive multiple of 8; the nearest is 32"},
    {"blaum_roth(7,2,w=6)", "w is 6, less than k = 7; the nearest legal w is 10"},
    {"blaum_roth(3,2,w=7)",
     "w + 1 must be prime: with this w, 1 of 10 losses of two chunks cannot be decoded; the nearest legal w is 6, and "
     "unsafe=yes takes it as it is"},
    {"blaum_roth(4,2,w=7)",
     "w + 1 must be prime: with this w, 1 of 15 losses of two chunks cannot be decoded; the nearest legal w is 6, and "
     "unsafe=yes takes it as it is"},
    {"blaum_roth(100,2,w=120)", "w + 1 must be prime; the nearest legal w is 126"},
    {"blaum_roth(100,2,w=120,unsafe=yes)",
     "too large for unsafe=yes: to try all losses of 2 chunks would take too long"},

    {"liber8tion(4,3)", m_is_2_only},
    {"liber8tion(0,2)", too_small},
    {"liber8tion(9,2)", "k is 9; liber8tion takes at most 8"},
    {"liber8tion(4,2,w=7)", "w is 7; liber8tion has w = 8 only"},
    {"liber8tion(4,2,p=5)", packet_options},
    {"liber8tion(4,2,packetsize=7)", "packetsize is 7, which is no positive multiple of 8; the nearest is 8"},
    {"liber8tion(4,2,unsafe=yes)", "every liber8tion code is MDS: leave unsafe out"},

    {"xor(4,2)", "m is 2; xor has one parity: xor(k,1)"},
    {"xor(0,1)", too_small},
    {"xor(256,1)", too_many_chunks},
    {"xor(4,1,w=8)", "xor has no options"},
    {"replication(2,2)", "k is 2; replication copies one chunk: replication(1,m)"},
    {"replication(1,0)", too_small},
    {"replication(1,256)", too_many_chunks},
    {"replication(1,2,w=8)", "replication has no options"},

    {"raid(4,2)",
     "unknown family; known: rs, xrs, hitchhiker, lrc, clay, rdp, evenodd, reed_sol_r6_op, cauchy_orig, cauchy_good, "
     "liberation, blaum_roth, liber8tion, xor, replication"},
};

TEST(Refusals, NameTheRuleAndTheNearestLegalValue) {
  for (const auto& [text, message] : refused) {
    const auto code = Code::parse(text);
    ASSERT_FALSE(code.has_value()) << text;
    EXPECT_EQ(code.error().code, ErrorCode::invalid_argument) << text;
    EXPECT_EQ(code.error().message(), std::string("code: ") + message) << text;
  }
}

// Each family breaks some rule above, so that a new one is not forgotten.
TEST(Refusals, CoverEveryFamily) {
  for (const Family& family : families())
    EXPECT_TRUE(std::ranges::any_of(refused, [&](const Refused& one) {
      return std::string(one.text).starts_with(std::string(family.name) + "(");
    })) << family.name;
}

// The values that messages name, and the others at the edge of what is legal.
TEST(Refusals, WhatIsNearestIsLegal) {
  for (const char* const text : {"rs(252,4)",
                                 "rs(21,4,matrix=isal)",
                                 "rs(22,4,matrix=isal,unsafe=yes)",
                                 "rs(253,3,matrix=par1)",
                                 "rs(6,4,matrix=par1,unsafe=yes)",
                                 "reed_sol_r6_op(254,2)",
                                 "xrs(254,2)",
                                 "hitchhiker(254,2)",
                                 "lrc(4,4,1)",
                                 "lrc(200,50,6)",
                                 "lrc(12,2,2,groups=data)",
                                 "clay(1,32)",
                                 "clay(14,2)",
                                 "rdp(4,2,p=5)",
                                 "rdp(4,2,p=7)",
                                 "rdp(1,2,p=3)",
                                 "rdp(4,2,p=257)",
                                 "evenodd(5,2,p=5)",
                                 "evenodd(4,2,p=11)",
                                 "evenodd(4,2,p=257)",
                                 "cauchy_orig(10,7,w=5)",
                                 "cauchy_orig(14,2,w=4)",
                                 "cauchy_good(4,2,w=32)",
                                 "cauchy_good(4,2,packetsize=1073741824)",
                                 "cauchy_good(3,2,w=3,packetsize=16)",
                                 "liberation(2,2,w=3)",
                                 "liberation(4,2,w=251)",
                                 "blaum_roth(7,2,w=10)",
                                 "blaum_roth(4,2,w=6)",
                                 "blaum_roth(4,2,w=256)",
                                 "blaum_roth(4,2,w=7,unsafe=yes)",
                                 "liber8tion(8,2)",
                                 "xor(255,1)",
                                 "replication(1,255)"}) {
    const auto code = Code::parse(text);
    ASSERT_TRUE(code.has_value()) << text << ": " << code.error().message();
    EXPECT_EQ(parse(code->text()).text(), code->text());
  }
}

}  // namespace
}  // namespace parapet::codec
