// Which folder may include which: read from docs/ARCHITECTURE.md, checked against the sources.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace parapet::architecture {

/// For each folder of the table, e.g. "src/gf", the folders that it may include: its own row's and theirs in turn.
using Reach = std::map<std::string, std::set<std::string>, std::less<>>;

/// Reads the rows `| folder | what | may include |` of a Markdown text; the first row is the heading. A folder that
/// is named only as a target, or includes itself in a circle, gives an entry in `problems`.
Reach read_table(std::string_view markdown, std::vector<std::string>& problems);

/// The folder of the table that holds the file `path` ("src/gf/kernels/avx2.cc"); empty when there is none.
std::string folder_of(const Reach& reach, std::string_view path);

/// The lines of a source text that `path` (relative to the root) must not have: `#include "..."` of a folder out of
/// reach, of a path that starts with no folder, or of GoogleTest outside tests and the headers that they share.
std::vector<std::string> forbidden_includes(const Reach& reach, std::string_view path, std::string_view source);

/// All C and C++ files below the folders of the table, relative to `root`, sorted.
std::vector<std::string> source_files(const Reach& reach, const std::filesystem::path& root);

std::string read_file(const std::filesystem::path& path);

}  // namespace parapet::architecture
