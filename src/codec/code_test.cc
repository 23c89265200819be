// Codes from text, and what they say of themselves.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "codec/test_stripe.h"

namespace parapet::codec {
namespace {

TEST(CodeText, CanonicalTextsStayAsTheyAre) {
  for (const char* const text :
       {"rs(1,1)", "rs(12,4)", "rs(128,128)", "rs(255,1)", "rs(1,255)", "rs(6,3,matrix=vandermonde)",
        "rs(6,3,matrix=jerasure)", "rs(6,3,matrix=isal)", "xrs(1,2)", "xrs(12,4)", "xrs(2,254)", "xrs(254,2)"}) {
    const Code code = parse(text);
    EXPECT_EQ(code.text(), text);
    EXPECT_EQ(parse(code.text()).text(), text);
  }
}

TEST(CodeText, BlanksAndTheDefaultMatrixAreLeftOut) {
  EXPECT_EQ(parse("  rs ( 12 ,\t4 )  ").text(), "rs(12,4)");
  EXPECT_EQ(parse("rs(12,4,matrix=cauchy)").text(), "rs(12,4)");
  EXPECT_EQ(parse("rs( 12, 4, matrix = jerasure )").text(), "rs(12,4,matrix=jerasure)");
  EXPECT_EQ(parse("\txrs(10,4)").text(), "xrs(10,4)");
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

TEST(CodeText, MessagesSayWhichRule) {
  const auto message = [](std::string_view text) { return Code::parse(text).error().message(); };
  EXPECT_NE(message("lrc(4,2)").find("rs, xrs"), std::string::npos) << message("lrc(4,2)");
  EXPECT_NE(message("rs(4)").find("k and m"), std::string::npos) << message("rs(4)");
  EXPECT_NE(message("rs(4,0)").find("at least 1"), std::string::npos) << message("rs(4,0)");
  EXPECT_NE(message("rs(200,57)").find("257"), std::string::npos) << message("rs(200,57)");
  EXPECT_NE(message("rs(200,57)").find("256"), std::string::npos) << message("rs(200,57)");
  EXPECT_NE(message("xrs(4,1)").find("m >= 2"), std::string::npos) << message("xrs(4,1)");
  EXPECT_NE(message("rs(4,2,matrix=x)").find("jerasure"), std::string::npos) << message("rs(4,2,matrix=x)");
  EXPECT_NE(message("rs(22,4,matrix=isal)").find("k = 22, m = 4"), std::string::npos)
      << message("rs(22,4,matrix=isal)");
}

TEST(Code, SaysItsNumbers) {
  const Code rs = parse("rs(12,4)");
  EXPECT_EQ(rs.k(), 12u);
  EXPECT_EQ(rs.m(), 4u);
  EXPECT_EQ(rs.n(), 16u);
  EXPECT_EQ(rs.alpha(), 1u);
  EXPECT_EQ(rs.tolerance(), 4u);
  EXPECT_EQ(rs.chunk_size_multiple(), 1u);
  const Code xrs = parse("xrs(10,3)");
  EXPECT_EQ(xrs.k(), 10u);
  EXPECT_EQ(xrs.m(), 3u);
  EXPECT_EQ(xrs.alpha(), 2u);
  EXPECT_EQ(xrs.tolerance(), 3u);
  EXPECT_EQ(xrs.chunk_size_multiple(), 2u);
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
  ASSERT_EQ(Code::families().size(), 2u);
  EXPECT_EQ(Code::families()[0].substr(0, 3), "rs(");
  EXPECT_EQ(Code::families()[1].substr(0, 4), "xrs(");
  for (const char* const matrix : {"cauchy", "isal", "jerasure", "vandermonde"})
    EXPECT_NE(Code::families()[0].find(matrix), std::string_view::npos);
}

}  // namespace
}  // namespace parapet::codec
