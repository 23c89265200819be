#include "front/cli/loss_survey.h"

#include <gtest/gtest.h>

namespace parapet::front {
namespace {

LossSurvey survey(const char* code, unsigned losses) { return survey_losses(Code::parse(code).value(), losses); }

// Of 16 chunks, two groups of 7 and two global parities: 4 of one group, 3 of one and a global parity, or 2 of one and
// both global parities are more than the parities can make good: 70 + 140 + 42 of 1820.
TEST(LossSurvey, CountsAllPatternsWhereThereAreFew) {
  const LossSurvey four = survey("lrc(12,2,2)", 4);
  EXPECT_TRUE(four.exact);
  EXPECT_EQ(four.patterns, 1820u);
  EXPECT_EQ(four.borne, 1820u - 252);
  EXPECT_EQ(survey("lrc(12,2,2)", 3).borne, 560u);
  EXPECT_EQ(survey("lrc(12,2,2)", 5).borne, 0u);
}

TEST(LossSurvey, TriesTheSameSampleWhereThereAreMany) {
  EXPECT_EQ(survey("rs(100,20)", 20).share(), 1);
  EXPECT_EQ(survey("rs(100,20)", 21).share(), 0);
  const LossSurvey first = survey("lrc(60,10,4)", 8);
  EXPECT_FALSE(first.exact);
  EXPECT_EQ(first.patterns, 20'000u);
  EXPECT_GT(first.borne, 19'000u);
  EXPECT_LT(first.borne, first.patterns);
  EXPECT_EQ(first.borne, survey("lrc(60,10,4)", 8).borne);
}

}  // namespace
}  // namespace parapet::front
