#include "bench/machine.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

#include "parapet/codec.h"

namespace parapet::bench {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

struct Cache {
  std::string level;
  std::string type;
  std::string size;  ///< E.g. "1024K".
};

std::vector<Cache> caches() {
  std::vector<Cache> found;
  for (unsigned index = 0;; ++index) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
    Cache cache{first_line(folder + "level"), first_line(folder + "type"), first_line(folder + "size")};
    if (cache.level.empty()) return found;
    found.push_back(std::move(cache));
  }
}

std::string caches_text() {
  std::string text;
  for (const Cache& cache : caches()) {
    if (cache.type == "Instruction") continue;
    text +=
        fmt::format("{}L{}{} {}", text.empty() ? "" : ", ", cache.level, cache.type == "Data" ? "d" : "", cache.size);
  }
  return text.empty() ? "unknown" : text;
}

/// The chosen one of e.g. "always [madvise] never".
std::string huge_pages() {
  const std::string line = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  const std::size_t open = line.find('[');
  const std::size_t close = line.find(']');
  return open == std::string::npos || close == std::string::npos ? "unknown" : line.substr(open + 1, close - open - 1);
}

std::string isa() {
  const auto name = active_isa();
  return name ? std::string(*name) : name.error().message();
}

std::string compiler() {
#if defined(__clang__)
  std::string text = "clang " __clang_version__;
#else
  std::string text = "GCC " __VERSION__;
#endif
#if !defined(__OPTIMIZE__)
  text += ", WITHOUT OPTIMISATION: the figures mean nothing";
#endif
  return text;
}

/// As a shell would take it, with the program's name alone.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::string text;
  for (std::string word; std::getline(file, word, '\0');) {
    if (text.empty()) {
      text = std::filesystem::path(word).filename();
      continue;
    }
    const bool plain = word.find_first_of(" \t\n()&;|<>*?$'\"\\`") == std::string::npos;
    text += plain ? " " + word : " '" + word + "'";
  }
  return text;
}

}  // namespace

std::vector<Fact> machine_facts() {
  return {{"cpu", "CPU", cpu_model()},
          {"caches", "caches of one core", caches_text()},
          {"huge_pages", "transparent huge pages", huge_pages()},
          {"isa", "instruction set of the kernels", isa()},
          {"compiler", "compiler", compiler()},
          {"command", "command", fmt::format("`{}`", command_line())}};
}

std::size_t l3_size_bytes() {
  for (const Cache& cache : caches()) {
    std::size_t kib = 0;
    if (cache.level == "3" &&
        std::from_chars(cache.size.data(), cache.size.data() + cache.size.size(), kib).ec == std::errc())
      return kib << 10;
  }
  return std::size_t{32} << 20;
}

}  // namespace parapet::bench
