#include "gf/isa.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

namespace parapet::gf {
namespace {

// All names that any build knows.
constexpr std::string_view known_names[] = {"avx512-gfni", "avx512", "avx2-gfni", "avx2", "ssse3", "neon", "scalar"};

const Kernels* compiled(std::string_view name) {
  for (const Kernels* kernels : all_kernels())
    if (name == kernels->name) return kernels;
  return nullptr;
}

TEST(Isa, TheListEndsWithScalarWhichEveryMachineHas) {
  ASSERT_FALSE(all_kernels().empty());
  EXPECT_STREQ(all_kernels().back()->name, "scalar");
  EXPECT_TRUE(all_kernels().back()->supported());
}

TEST(Isa, NamesAreUniqueAndKnown) {
  std::set<std::string> names;
  for (const Kernels* kernels : all_kernels()) {
    EXPECT_TRUE(names.insert(kernels->name).second) << kernels->name;
    EXPECT_NE(std::find(std::begin(known_names), std::end(known_names), kernels->name), std::end(known_names))
        << kernels->name;
  }
}

TEST(Isa, WithoutANameTheFirstSupportedOneIsChosen) {
  const Kernels* best = nullptr;
  for (const Kernels* kernels : all_kernels())
    if (best == nullptr && kernels->supported()) best = kernels;
  EXPECT_EQ(choose_kernels("").value(), best);
}

TEST(Isa, EveryKnownNameIsChosenWhereTheMachineHasItAndRefusedWhereNot) {
  for (const std::string_view name : known_names) {
    const auto chosen = choose_kernels(name);
    const Kernels* const expected = compiled(name);
    if (expected != nullptr && expected->supported()) {
      ASSERT_TRUE(chosen.has_value()) << name << ": " << chosen.error().message();
      EXPECT_EQ(*chosen, expected);
    } else {
      ASSERT_FALSE(chosen.has_value()) << name;
      EXPECT_EQ(chosen.error().code, ErrorCode::unsupported);
      EXPECT_NE(chosen.error().message().find("PARAPET_ISA"), std::string::npos) << chosen.error().message();
    }
  }
}

TEST(Isa, UnknownNamesAreRefusedWithTheListOfKnownOnes) {
  for (const std::string_view name : {"sse9", "AVX2", "avx", "avx2 ", " avx2", "avx5", "scalarr", "0", "\n", "best"}) {
    const auto chosen = choose_kernels(name);
    ASSERT_FALSE(chosen.has_value()) << name;
    EXPECT_EQ(chosen.error().code, ErrorCode::unsupported);
    for (const std::string_view known : known_names)
      EXPECT_NE(chosen.error().message().find(known), std::string::npos) << known;
    EXPECT_EQ(chosen.error().message().find('\n'), std::string::npos);
  }
}

TEST(Isa, TheActiveOneIsAlwaysTheSame) {
  const auto first = active_kernels();
  const auto second = active_kernels();
  ASSERT_EQ(first.has_value(), second.has_value());
  if (first) {
    EXPECT_EQ(*first, *second);
    EXPECT_TRUE((*first)->supported());
  }
}

}  // namespace
}  // namespace parapet::gf
