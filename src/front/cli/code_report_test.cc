#include "front/cli/code_report.h"

#include <gtest/gtest.h>

#include <sstream>

namespace parapet::front {
namespace {

CodeEntry entry(const char* code) { return {facts_of(Code::parse(code).value()).value(), std::nullopt}; }

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(CodeReport, IsOneLineForEachCode) {
  const auto lines = lines_of(code_table({entry("clay(12,4)"), entry("lrc(12,2,2,groups=uniform)")},
                                         {{"xor(12,4)", "m is 4; xor has one parity: xor(k,1)"}}));
  ASSERT_GE(lines.size(), 4u);
  EXPECT_EQ(lines[0],
            "                                                           SMALLEST   LOST  DATA   LOST  PARITY");
  EXPECT_EQ(lines[1],
            "CODE                        SPACE  BEARS            ALPHA     CHUNK  READS  FROM  READS    FROM  UPDATE");
  EXPECT_EQ(lines[2],
            "clay(12,4)                   +33%  any 4              256     1 MiB   3.75    15   3.75      15       5");
  EXPECT_EQ(lines[3],
            "lrc(12,2,2,groups=uniform)   +33%  any 3, 92% of 4      1     4 KiB   7.00     7   7.00       7     4.5");
  EXPECT_EQ(lines.back(), "  xor(12,4): m is 4; xor has one parity: xor(k,1)");
}

TEST(CodeReport, FitsIntoATerminalOf120Columns) {
  const CodeChoice choice = codes_with(12, 4).value();
  std::vector<CodeEntry> entries;
  for (const Code& code : choice.codes)
    entries.push_back({facts_of(code).value(), CodeSpeed{.chunk_size = 1 << 20, .encode = 45.67, .repair = 12.34}});
  for (const std::string& line : lines_of(code_table(entries, choice.absent))) EXPECT_LE(line.size(), 120u) << line;
}

TEST(CodeReport, RoundsNoLossAway) {
  CodeEntry almost = entry("lrc(12,2,2)");
  almost.facts.beyond = {{.losses = 4, .patterns = 20'000, .borne = 19'999, .exact = false}};
  EXPECT_NE(code_table({almost}, {}).find("any 3, ~99.9% of 4 "), std::string::npos);
  almost.facts.beyond = {{.losses = 4, .patterns = 1000, .borne = 1, .exact = true}};
  EXPECT_NE(code_table({almost}, {}).find("any 3, 0.1% of 4 "), std::string::npos);
  almost.facts.beyond = {{.losses = 4, .patterns = 1000, .borne = 995, .exact = true}};
  EXPECT_NE(code_table({almost}, {}).find("any 3, 99.5% of 4 "), std::string::npos);
}

TEST(CodeReport, DescribesTheRepairOfEachChunk) {
  EXPECT_EQ(code_description(entry("lrc(6,2,2)")),
            "lrc(6,2,2)\n"
            "  6 chunks of data, 4 of parity: 66.7% more space than the data\n"
            "  bears the loss of any 3 of the 10 chunks\n"
            "  bears 86% of the losses of 4: 180 of 210 patterns\n"
            "  1 sub-chunk per chunk; chunks of shards are multiples of 4 KiB\n"
            "  a change of 4 KiB of data changes 4 chunks\n"
            "  repair of one lost chunk, by chunks of 4 KiB:\n"
            "    CHUNK             READS       FROM        IN\n"
            "    data 0-5    3.00 chunks  3 devices  3 pieces\n"
            "    parity 6-7  3.00 chunks  3 devices  3 pieces\n"
            "    parity 8-9  6.00 chunks  6 devices  6 pieces\n");
}

TEST(CodeReport, GivesTheNumbersAsJson) {
  CodeEntry clay = entry("clay(4,2)");
  clay.speed = CodeSpeed{.chunk_size = 1 << 20, .encode = 2, .repair = 3};
  const Json json = code_json(clay);
  EXPECT_EQ(json["code"], "clay(4,2)");
  EXPECT_EQ(json["alpha"], 8);
  EXPECT_EQ(json["packet_size"], 0);
  EXPECT_EQ(json["overhead"], 0.5);
  EXPECT_EQ(json["beyond_tolerance"], Json::array());
  EXPECT_EQ(json["chunk_size_min"], 32768);
  EXPECT_EQ(json["repair_data"]["chunks"], 2.5);
  EXPECT_EQ(json["repair_parity"]["devices"], 5);
  EXPECT_EQ(json["repairs"].size(), 6u);
  EXPECT_EQ(json["repairs"][0]["bytes"], 5 * 32768 / 2);
  EXPECT_EQ(json["speed"]["repair_gbps"], 3);
  const Json lrc = code_json(entry("lrc(6,2,2)"));
  EXPECT_EQ(lrc["beyond_tolerance"][0]["borne"], 180);
  EXPECT_EQ(lrc["beyond_tolerance"][0]["exact"], true);
  EXPECT_FALSE(lrc.contains("speed"));
}

}  // namespace
}  // namespace parapet::front
