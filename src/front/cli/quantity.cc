#include "front/cli/quantity.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace parapet::front {
namespace {

/// `value` with three digits that count.
std::string three_digits(double value) {
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

/// The exponent of 1024 that a suffix stands for.
std::optional<unsigned> exponent_of(std::string_view suffix) {
  if (suffix.empty()) return 0;
  const std::size_t place = std::string_view("kmgt").find(static_cast<char>(suffix[0] | 0x20));
  const std::string_view rest = suffix.substr(1);
  const bool known_rest = rest.empty() || rest == "iB" || rest == "ib" || rest == "i" || rest == "B" || rest == "b";
  if (place == std::string_view::npos || !known_rest) return std::nullopt;
  return static_cast<unsigned>(place) + 1;
}

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc()) return std::nullopt;
  const auto exponent = exponent_of(text.substr(static_cast<std::size_t>(end - text.data())));
  if (!exponent || number > UINT64_MAX >> (10 * *exponent)) return std::nullopt;
  return number << (10 * *exponent);
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  constexpr std::array names = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 999.5) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(value), names[unit]);
}

std::string rate_text(std::uint64_t bytes, double seconds) {
  constexpr std::array names = {"kB/s", "MB/s", "GB/s", "TB/s"};
  double value = static_cast<double>(bytes) / 1000 / (seconds > 0 ? seconds : 1e-9);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < names.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(value), names[unit]);
}

std::string time_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::lround(seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace parapet::front
