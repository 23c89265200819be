#include "architecture/architecture.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace parapet::architecture {
namespace {

std::vector<std::string> words_of(std::string_view cell) {
  std::string text(cell);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '`' || c == ','; }, ' ');
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<std::string> lines_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> cells_of(std::string_view row) {
  std::istringstream stream{std::string(row.substr(1))};
  std::vector<std::string> cells;
  for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(cell);
  return cells;
}

/// Tests, and the headers that tests share; a product file that used one of those would fail to link.
bool may_use_gtest(std::string_view path) {
  return path.starts_with("tests/") || path.ends_with("_test.cc") ||
         (path.ends_with(".h") && !path.starts_with("include/"));
}

/// Worlds are leaves that only the library and programs name; tests, and the headers that tests share, run in them.
bool is_world_of_test(std::string_view path, std::string_view target) {
  return (path.ends_with("_test.cc") || path.ends_with("_testing.h")) && (target == "src/simenv" || target == "src/os");
}

/// The path between the quotes of an #include line; empty for other lines.
std::string quoted_include(const std::string& line) {
  const std::size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line[hash] != '#') return {};
  const std::size_t word = line.find_first_not_of(" \t", hash + 1);
  if (word == std::string::npos || line.compare(word, 7, "include") != 0) return {};
  const std::size_t open = line.find('"', word);
  const std::size_t close = open == std::string::npos ? open : line.find('"', open + 1);
  return close == std::string::npos ? std::string() : line.substr(open + 1, close - open - 1);
}

/// Include paths are relative to include/, src/, tests/ or, for the folders in it, the root.
std::string target_of(const Reach& reach, const std::string& include) {
  for (const char* base : {"include/", "src/", "", "tests/"}) {
    const std::string folder = folder_of(reach, base + include);
    if (!folder.empty() && (*base != '\0' || !include.starts_with("src/"))) return folder;
  }
  return {};
}

bool close_over(Reach& reach) {
  bool grown = false;
  for (auto& [folder, targets] : reach)
    for (const std::string& target : std::set<std::string>(targets))
      for (const std::string& further : reach.at(target)) grown |= targets.insert(further).second;
  return grown;
}

}  // namespace

Reach read_table(std::string_view markdown, std::vector<std::string>& problems) {
  Reach reach;
  bool heading = true;
  for (const std::string& line : lines_of(markdown)) {
    if (!line.starts_with('|') || line.starts_with("|-")) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (!heading && cells.size() >= 3 && words_of(cells[0]).size() == 1) {
      auto& targets = reach[words_of(cells[0])[0]];
      for (const std::string& target : words_of(cells[2])) targets.insert(target);
    }
    heading = false;
  }
  for (auto& row : reach)
    std::erase_if(row.second, [&](const std::string& target) {
      if (reach.contains(target)) return false;
      problems.push_back(row.first + " may include " + target + ", which has no row");
      return true;
    });
  while (close_over(reach)) {
  }
  for (const auto& [folder, targets] : reach)
    if (targets.contains(folder)) problems.push_back(folder + " reaches itself");
  return reach;
}

std::string folder_of(const Reach& reach, std::string_view path) {
  for (const auto& [folder, targets] : reach)
    if (path.starts_with(folder + "/")) return folder;
  return {};
}

std::vector<std::string> forbidden_includes(const Reach& reach, std::string_view path, std::string_view source) {
  const std::string from = folder_of(reach, path);
  std::vector<std::string> forbidden;
  for (const std::string& line : lines_of(source)) {
    const std::string include = quoted_include(line);
    const std::string target = target_of(reach, include);
    const bool is_gtest = line.find("gtest/") != std::string::npos && line.find("#include") != std::string::npos;
    const bool allowed = is_gtest ? may_use_gtest(path)
                                  : include.empty() || target == from || reach.at(from).contains(target) ||
                                        is_world_of_test(path, target);
    if (!allowed) forbidden.push_back(std::string(path) + ": " + line);
  }
  return forbidden;
}

std::vector<std::string> source_files(const Reach& reach, const std::filesystem::path& root) {
  const std::set<std::string> extensions = {".h", ".cc", ".c", ".inc"};
  std::vector<std::string> files;
  for (const auto& [folder, targets] : reach)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file() && extensions.contains(entry.path().extension()))
        files.push_back(std::filesystem::relative(entry.path(), root));
  std::sort(files.begin(), files.end());
  return files;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace parapet::architecture
