// Sizes, rates and times as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parapet::front {

/// "4096", "64K", "1MiB", "2g": binary multiples, in any case. Nothing for other text and for 2^64 and above.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// "17 B", "1.5 MiB", "230 GiB": three digits.
std::string size_text(std::uint64_t bytes);
/// "1.53 GB/s": decimal, as rates of devices are given.
std::string rate_text(std::uint64_t bytes, double seconds);
/// "0:07", "12:30", "1:02:03".
std::string time_text(double seconds);

}  // namespace parapet::front
