#include "bench/report.h"

#include <gtest/gtest.h>

namespace parapet::bench {
namespace {

const Report report{.title = "T",
                    .machine = {{"cpu", "CPU", "abacus"}},
                    .method = {"By hand."},
                    .tables = {{.key = "t",
                                .title = "Table",
                                .note = "Note.",
                                .columns = {{"code", "code"}, {"rate", "rate", 1}},
                                .rows = {{"rs(4,2)", 12.34}, {"x", std::monostate()}}}}};

TEST(ReportTest, MarkdownIsPadded) {
  EXPECT_EQ(to_markdown(report),
            "## T\n\n* CPU: abacus\n\nMethod:\n\n* By hand.\n\n### Table\n\nNote.\n\n"
            "| code    | rate |\n"
            "| ------- | ---: |\n"
            "| rs(4,2) | 12.3 |\n"
            "| x       |    - |\n");
}

TEST(ReportTest, JsonKeepsFullNumbers) {
  const auto json = to_json(report);
  EXPECT_EQ(json["machine"]["cpu"], "abacus");
  EXPECT_EQ(json["tables"][0]["rows"][0]["rate"], 12.34);
  EXPECT_TRUE(json["tables"][0]["rows"][1]["rate"].is_null());
}

}  // namespace
}  // namespace parapet::bench
