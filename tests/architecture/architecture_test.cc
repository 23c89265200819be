#include "architecture/architecture.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace parapet::architecture {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

const fs::path root = PARAPET_SOURCE_DIR;

Reach project_table(Lines& problems) { return read_table(read_file(root / "docs/ARCHITECTURE.md"), problems); }

constexpr const char* made_up_table =
    "| folder | what | may include |\n"
    "|---|---|---|\n"
    "| `include/parapet` | headers | |\n"
    "| `src/base` | base | `include/parapet` |\n"
    "| `src/gf` | field | `src/base` |\n"
    "| `src/front` | program | `src/gf`, `bench` |\n"
    "| `bench` | benchmark | `src/gf` |\n";

TEST(ArchitectureChecker, ReadsTheTableWithItsTransitiveReach) {
  Lines problems;
  const Reach reach = read_table(made_up_table, problems);
  EXPECT_EQ(problems, Lines{});
  EXPECT_EQ(reach.size(), 5u);
  EXPECT_EQ(reach.at("src/gf"), (std::set<std::string>{"include/parapet", "src/base"}));
  EXPECT_EQ(reach.at("include/parapet"), std::set<std::string>{});
}

TEST(ArchitectureChecker, ReportsCirclesAndUnknownFolders) {
  Lines problems;
  read_table("| folder | what | may include |\n| a | | b |\n| b | | a c |\n", problems);
  EXPECT_EQ(problems, (Lines{"b may include c, which has no row", "a reaches itself", "b reaches itself"}));
}

TEST(ArchitectureChecker, FindsForbiddenIncludes) {
  Lines problems;
  const Reach reach = read_table(made_up_table, problems);
  const auto check = [&](const char* path, const char* line) { return forbidden_includes(reach, path, line).size(); };
  EXPECT_EQ(check("src/gf/a.cc", "#include \"base/try.h\""), 0u);
  EXPECT_EQ(check("src/gf/a.cc", "#include \"gf/b.h\"\n#include \"parapet/error.h\"\n#include <vector>"), 0u);
  EXPECT_EQ(check("src/front/cli/a.cc", "#include \"bench/report.h\"\n#include \"base/try.h\""), 0u);
  EXPECT_EQ(check("src/base/a.cc", "#include \"gf/b.h\""), 1u);
  EXPECT_EQ(check("src/base/a.cc", "  #  include \"gf/b.h\""), 1u);
  EXPECT_EQ(check("src/base/a_test.cc", "#include \"gf/b.h\""), 1u);
  EXPECT_EQ(check("include/parapet/a.h", "#include \"base/try.h\""), 1u);
  EXPECT_EQ(check("bench/a.cc", "#include \"front/cli/context.h\""), 1u);
  EXPECT_EQ(check("src/gf/a.cc", "#include \"src/base/try.h\""), 1u);
  EXPECT_EQ(check("src/gf/a.cc", "#include \"b.h\""), 1u);
  EXPECT_EQ(check("src/gf/a.cc", "#include \"../base/try.h\""), 1u);
  EXPECT_EQ(check("src/gf/a.cc", "#include <gtest/gtest.h>"), 1u);
  EXPECT_EQ(check("include/parapet/a.h", "#include <gtest/gtest.h>"), 1u);
  EXPECT_EQ(check("src/gf/a_test.cc", "#include <gtest/gtest.h>"), 0u);
  EXPECT_EQ(check("src/gf/shared_by_tests.h", "#include <gtest/gtest.h>"), 0u);
}

TEST(Architecture, TableIsSound) {
  Lines problems;
  const Reach reach = project_table(problems);
  EXPECT_EQ(problems, Lines{});
  for (const auto& [folder, targets] : reach) EXPECT_TRUE(fs::is_directory(root / folder)) << folder << " is missing";
}

TEST(Architecture, EveryFolderOfSrcHasARow) {
  Lines problems;
  const Reach reach = project_table(problems);
  for (const auto& entry : fs::directory_iterator(root / "src"))
    EXPECT_TRUE(!entry.is_directory() || reach.contains("src/" + entry.path().filename().string())) << entry.path();
}

TEST(Architecture, IncludesFollowTheArrows) {
  Lines problems, forbidden;
  const Reach reach = project_table(problems);
  const Lines files = source_files(reach, root);
  ASSERT_GT(files.size(), 20u);
  for (const std::string& file : files)
    for (const std::string& line : forbidden_includes(reach, file, read_file(root / file))) forbidden.push_back(line);
  EXPECT_EQ(forbidden, Lines{});
}

TEST(Architecture, FilesStayReadable) {
  Lines problems;
  for (const std::string& file : source_files(project_table(problems), root)) {
    const std::string text = read_file(root / file);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 600) << file << " is too long: split it by nouns";
  }
}

TEST(Readme, QuotesTheTestedExamples) {
  const std::string readme = read_file(root / "README.md");
  for (const char* file : {"tests/install/cpp/main.cc", "tests/install/cpp/pool.cc"}) {
    const std::string example = read_file(root / file);
    ASSERT_FALSE(example.empty());
    EXPECT_NE(readme.find("```cpp\n" + example + "```"), std::string::npos)
        << "README.md must quote " << file << " as it is";
  }
}

TEST(Architecture, TheEngineRunsInAnyWorld) {
  Lines problems;
  const Reach reach = project_table(problems);
  for (const char* folder : {"src/store", "src/pool"})
    for (const char* world : {"src/os", "src/simenv"}) EXPECT_FALSE(reach.at(folder).contains(world)) << folder;
}

}  // namespace
}  // namespace parapet::architecture
