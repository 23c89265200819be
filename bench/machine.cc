#include "bench/machine.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "bench/multiplier.h"
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

std::string multiplier() {
  const auto rate = multiplier_bytes_per_second();
  if (!rate) return "not measured: no GFNI with 512-bit registers";
  return fmt::format("{:.0f} GB/s, so at most {:.0f} GB/s of data at m = 4, {:.0f} at m = 3, {:.0f} at m = 2",
                     *rate / 1e9, *rate / 4e9, *rate / 3e9, *rate / 2e9);
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
          {"multiplier", "multiplications alone", multiplier()},
          {"compiler", "compiler", compiler()},
          {"command", "command", fmt::format("`{}`", command_line())}};
}

}  // namespace parapet::bench
