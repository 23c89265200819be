#include "front/cli/code_choice.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace parapet::front {
namespace {

using Texts = std::vector<std::string>;

Texts codes(const CodeChoice& choice) {
  Texts texts;
  for (const Code& code : choice.codes) texts.push_back(code.text());
  return texts;
}

Texts absent(const CodeChoice& choice) {
  Texts names;
  for (const AbsentCode& code : choice.absent) names.push_back(code.text.substr(0, code.text.find('(')));
  return names;
}

TEST(CodeChoice, HasEveryFamilyThatExists) {
  const CodeChoice choice = codes_with(12, 4).value();
  EXPECT_EQ(codes(choice),
            (Texts{"rs(12,4)", "xrs(12,4)", "hitchhiker(12,4)", "lrc(12,2,2)", "lrc(12,2,2,groups=uniform)",
                   "clay(12,4)", "cauchy_orig(12,4)", "cauchy_good(12,4)"}));
  EXPECT_EQ(absent(choice), (Texts{"rdp", "evenodd", "reed_sol_r6_op", "liberation", "blaum_roth", "liber8tion", "xor",
                                   "replication"}));
  EXPECT_EQ(choice.absent[0].reason, "m is 4; this family has m = 2 only");
}

TEST(CodeChoice, NamesEveryFamilyForAnyNumbers) {
  for (const auto& [k, m] : {std::pair(1u, 1u), std::pair(1u, 3u), std::pair(5u, 1u), std::pair(8u, 2u),
                             std::pair(9u, 2u), std::pair(100u, 3u), std::pair(252u, 4u)}) {
    const CodeChoice choice = codes_with(k, m).value();
    for (const Code& code : choice.codes) {
      EXPECT_EQ(code.k(), k) << code.text();
      EXPECT_EQ(code.m(), m) << code.text();
    }
    for (const AbsentCode& code : choice.absent) EXPECT_NE(code.reason, "") << code.text;
    Texts named = codes(choice);
    for (const std::string& name : absent(choice)) named.push_back(name + "(");
    for (const std::string_view usage : Code::families()) {
      const auto names = [&](const std::string& text) {
        return text.starts_with(usage.substr(0, usage.find('(') + 1));
      };
      EXPECT_TRUE(std::ranges::any_of(named, names)) << usage << " for " << k << ", " << m;
    }
  }
}

TEST(CodeChoice, RefusesNumbersThatNoCodeHas) {
  EXPECT_FALSE(codes_with(200, 57));
  EXPECT_FALSE(codes_with(0, 2));
}

}  // namespace
}  // namespace parapet::front
