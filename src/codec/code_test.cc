// Codes from text, and what they say of themselves.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "codec/families.h"
#include "codec/test_stripe.h"

namespace parapet::codec {
namespace {

TEST(CodeText, CanonicalTextsStayAsTheyAre) {
  for (const char* const text : {"rs(1,1)",
                                 "rs(12,4)",
                                 "rs(128,128)",
                                 "rs(255,1)",
                                 "rs(1,255)",
                                 "rs(6,3,matrix=vandermonde)",
                                 "rs(6,3,matrix=jerasure)",
                                 "rs(6,3,matrix=isal)",
                                 "rs(6,3,matrix=par1)",
                                 "rs(6,4,matrix=par1,unsafe=yes)",
                                 "reed_sol_r6_op(6,2)",
                                 "xrs(1,2)",
                                 "xrs(12,4)",
                                 "xrs(2,254)",
                                 "xrs(254,2)",
                                 "hitchhiker(12,4)",
                                 "lrc(12,2,2)",
                                 "lrc(12,2,2,groups=uniform)",
                                 "clay(4,2)",
                                 "rdp(4,2)",
                                 "rdp(4,2,p=7)",
                                 "evenodd(4,2)",
                                 "evenodd(4,2,p=7)",
                                 "cauchy_orig(4,2)",
                                 "cauchy_orig(4,2,w=4,packetsize=24)",
                                 "cauchy_good(4,2,packetsize=8)",
                                 "liberation(4,2)",
                                 "liberation(4,2,w=7,packetsize=8)",
                                 "blaum_roth(4,2)",
                                 "blaum_roth(4,2,w=7,packetsize=8,unsafe=yes)",
                                 "liber8tion(4,2)",
                                 "liber8tion(4,2,packetsize=8)",
                                 "xor(4,1)",
                                 "replication(1,3)"}) {
    const Code code = parse(text);
    EXPECT_EQ(code.text(), text);
    EXPECT_EQ(parse(code.text()).text(), text);
  }
}

TEST(CodeText, BlanksAndDefaultsAreLeftOut) {
  EXPECT_EQ(parse("  rs ( 12 ,\t4 )  ").text(), "rs(12,4)");
  EXPECT_EQ(parse("rs(12,4,matrix=cauchy)").text(), "rs(12,4)");
  EXPECT_EQ(parse("rs( 12, 4, matrix = jerasure )").text(), "rs(12,4,matrix=jerasure)");
  EXPECT_EQ(parse("\txrs(10,4)").text(), "xrs(10,4)");
  EXPECT_EQ(parse("lrc(12,2,2,groups=data)").text(), "lrc(12,2,2)");
  EXPECT_EQ(parse("rdp(4,2,p=5)").text(), "rdp(4,2)");
  EXPECT_EQ(parse("evenodd(4,2,p=5)").text(), "evenodd(4,2)");
  EXPECT_EQ(parse("cauchy_good(4,2,packetsize=64,w=8)").text(), "cauchy_good(4,2,packetsize=64)");
  EXPECT_EQ(parse("liberation(4,2,w=5)").text(), "liberation(4,2)");
  EXPECT_EQ(parse("blaum_roth(4,2,w=4)").text(), "blaum_roth(4,2)");
  EXPECT_EQ(parse("liber8tion(4,2,w=8)").text(), "liber8tion(4,2)");
}

constexpr std::string_view wrong_texts[] = {"",
                                            " ",
                                            "rs",
                                            "rs(",
                                            "rs()",
                                            "rs)",
                                            "(4,2)",
                                            "rs 4,2",
                                            "rs(4)",
                                            "rs(4,)",
                                            "rs(,2)",
                                            "rs(4,2",
                                            "rs(4,2,)",
                                            "rs(4,2))",
                                            "rs(4,2)x",
                                            "rs(4,2) xrs(4,2)",
                                            "rs(4;2)",
                                            "rs[4,2]",
                                            "rs(4.0,2)",
                                            "rs(-4,2)",
                                            "rs(+4,2)",
                                            "rs(4,-2)",
                                            "rs(0x4,2)",
                                            "rs(four,2)",
                                            "rs(4,2,3)",
                                            "rs(0,2)",
                                            "rs(4,0)",
                                            "rs(0,0)",
                                            "rs(256,1)",
                                            "rs(1,256)",
                                            "rs(255,2)",
                                            "rs(200,57)",
                                            "rs(4294967295,1)",
                                            "rs(1,4294967295)",
                                            "rs(4294967296,1)",
                                            "rs(4294967297,1)",
                                            "rs(4294967300,4294967298)",
                                            "rs(2147483648,2147483648)",
                                            "rs(18446744073709551617,1)",
                                            "rs(99999999999999999999999999999,1)",
                                            "RS(4,2)",
                                            "Rs(4,2)",
                                            "r s(4,2)",
                                            "rs(1 2,4)",
                                            "rss(4,2)",
                                            "reed-solomon(4,2)",
                                            "lrc(4,2)",
                                            "rs(4,2,matrix)",
                                            "rs(4,2,matrix=)",
                                            "rs(4,2,=cauchy)",
                                            "rs(4,2,matrix=Cauchy)",
                                            "rs(4,2,matrix=cauch)",
                                            "rs(4,2,matrix=cauchy1)",
                                            "rs(4,2,matrx=cauchy)",
                                            "rs(4,2,matrix=cauchy,matrix=cauchy)",
                                            "rs(4,2,matrix=cauchy,w=8)",
                                            "rs(matrix=cauchy,4,2)",
                                            "rs(4,matrix=cauchy,2)",
                                            "rs(4,2,matrix==cauchy)",
                                            "rs(4,2,matrix=cauchy=isal)",
                                            "rs(22,4,matrix=isal)",
                                            "xrs(4,1)",
                                            "xrs(1,1)",
                                            "xrs(0,2)",
                                            "xrs(4,0)",
                                            "xrs(255,2)",
                                            "xrs(4)",
                                            "xrs(4,2,3)",
                                            "xrs(4,2,matrix=cauchy)",
                                            "xrs(4,2,x=y)",
                                            "rs(4,2)\n",
                                            "\nrs(4,2)",
                                            "rs(4,\n2)",
                                            "rs(4,2,matrix=a\nb)",
                                            "rs\n(4,2)",
                                            "\xff\xfe",
                                            "rs(\xc3\xa4,2)",
                                            "rs(4,2)\r",
                                            "\x1b[31mrs(4,2)"};

TEST(CodeText, WrongTextsGiveOneLine) {
  for (const std::string_view text : wrong_texts) {
    const auto code = Code::parse(text);
    ASSERT_FALSE(code.has_value()) << '"' << text << '"';
    EXPECT_EQ(code.error().code, ErrorCode::invalid_argument) << '"' << text << '"';
    const std::string message = code.error().message();
    EXPECT_GT(message.size(), 10u) << '"' << text << '"';
    EXPECT_EQ(message.find('{'), std::string::npos) << message << " for " << text;
    for (const char c : message) EXPECT_TRUE(c >= ' ' && c <= '~') << message;
  }
}

TEST(CodeText, ZerosAndLongTextsAreWrong) {
  EXPECT_FALSE(Code::parse(std::string_view("rs(4,2)\0", 8)).has_value());
  EXPECT_FALSE(Code::parse(std::string_view("rs\0(4,2)", 8)).has_value());
  EXPECT_FALSE(Code::parse(std::string_view()).has_value());
  for (const char* const piece : {"(", "rs(", "4,", "rs(4,2)", "a=b,", " "}) {
    std::string text = "rs(4,2,";
    while (text.size() < 100'000) text += piece;
    const auto code = Code::parse(text);
    ASSERT_FALSE(code.has_value());
    EXPECT_LT(code.error().message().size(), 500u);
  }
}

TEST(Code, SaysItsNumbers) {
  struct Numbers {
    const char* text;
    unsigned k, m, alpha, tolerance;
    std::size_t chunk_size_multiple, packet_size;
  };
  for (const auto& [text, k, m, alpha, tolerance, multiple, packet_size] : {
           Numbers{"rs(12,4)", 12, 4, 1, 4, 1, 0},
           Numbers{"rs(6,4,matrix=par1,unsafe=yes)", 6, 4, 1, 3, 1, 0},
           Numbers{"reed_sol_r6_op(6,2)", 6, 2, 1, 2, 1, 0},
           Numbers{"xrs(10,3)", 10, 3, 2, 3, 2, 0},
           Numbers{"hitchhiker(10,3)", 10, 3, 2, 3, 2, 0},
           Numbers{"lrc(12,2,2)", 12, 4, 1, 3, 1, 0},
           Numbers{"lrc(12,3,1,groups=uniform)", 12, 4, 1, 2, 1, 0},
           Numbers{"clay(10,4)", 10, 4, 256, 4, 256, 0},
           Numbers{"clay(5,3)", 5, 3, 27, 3, 27, 0},
           Numbers{"rdp(5,2)", 5, 2, 6, 2, 6, 0},
           Numbers{"rdp(5,2,p=11)", 5, 2, 10, 2, 10, 0},
           Numbers{"evenodd(5,2)", 5, 2, 4, 2, 4, 0},
           Numbers{"cauchy_orig(4,2)", 4, 2, 8, 2, 8, 0},
           Numbers{"cauchy_good(4,3,w=5,packetsize=24)", 4, 3, 5, 3, 120, 24},
           Numbers{"liberation(4,2,packetsize=8)", 4, 2, 5, 2, 40, 8},
           Numbers{"blaum_roth(5,2)", 5, 2, 6, 2, 6, 0},
           Numbers{"blaum_roth(5,2,w=7,unsafe=yes)", 5, 2, 7, 1, 7, 0},
           Numbers{"liber8tion(5,2,packetsize=16)", 5, 2, 8, 2, 128, 16},
           Numbers{"xor(5,1)", 5, 1, 1, 1, 1, 0},
           Numbers{"replication(1,5)", 1, 5, 1, 5, 1, 0},
       }) {
    const Code code = parse(text);
    EXPECT_EQ(code.k(), k) << text;
    EXPECT_EQ(code.m(), m) << text;
    EXPECT_EQ(code.n(), k + m) << text;
    EXPECT_EQ(code.alpha(), alpha) << text;
    EXPECT_EQ(code.tolerance(), tolerance) << text;
    EXPECT_EQ(code.chunk_size_multiple(), multiple) << text;
    EXPECT_EQ(code.packet_size(), packet_size) << text;
  }
}

TEST(Code, DecodableLooksAtItsOwnChunksOnly) {
  const Code code = parse("rs(4,2)");
  EXPECT_TRUE(code.decodable(ChunkSet::range(0, 256)));
  EXPECT_TRUE(code.decodable({0, 2, 3, 5}));
  EXPECT_FALSE(code.decodable({0, 2, 3}));
  EXPECT_FALSE(code.decodable({0, 2, 3, 6, 7, 255}));
  EXPECT_FALSE(code.decodable({}));
}

TEST(Code, FamiliesAreListedWithTheirParameters) {
  ASSERT_EQ(Code::families().size(), families().size());
  for (std::size_t i = 0; i < families().size(); ++i)
    EXPECT_EQ(Code::families()[i].substr(0, families()[i].name.size() + 1), std::string(families()[i].name) + "(");
  for (const char* const matrix : {"cauchy", "isal", "jerasure", "vandermonde", "par1"})
    EXPECT_NE(Code::families()[0].find(matrix), std::string_view::npos);
}

}  // namespace
}  // namespace parapet::codec
