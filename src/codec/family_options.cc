#include "codec/family_options.h"

#include <algorithm>
#include <charconv>

#include "base/try.h"
#include "codec/tolerance.h"

namespace parapet::codec {

Error wrong_code(const char* reason, std::array<std::uint64_t, 3> values) {
  return {ErrorCode::invalid_argument, "code", reason, values};
}

Result<Shape> parse_k_m(const CodeText& text) {
  if (text.numbers.size() != 2)
    return wrong_code("{} numbers were given, k and m are wanted, as in rs(12,4)", {text.numbers.size()});
  const unsigned k = text.numbers[0];
  const unsigned m = text.numbers[1];
  if (k == 0 || m == 0) return wrong_code("k and m must be at least 1");
  if (k > chunk_count_max || m > chunk_count_max || k + m > chunk_count_max)
    return wrong_code("k + m is {}, the most is {}", {std::uint64_t{k} + m, chunk_count_max});
  return Shape{.k = k, .m = m, .alpha = 1, .tolerance = m};
}

Result<Shape> parse_k_2(const CodeText& text) {
  PARAPET_TRY(const Shape shape, parse_k_m(text));
  if (shape.m != 2) return wrong_code("m is {}; this family has m = 2 only", {shape.m});
  return shape;
}

Result<void> check_options(const CodeText& text, std::initializer_list<std::string_view> known, const char* reason) {
  for (const auto& option : text.options)
    if (std::ranges::find(known, option.first) == known.end()) return wrong_code(reason);
  return {};
}

Result<std::optional<unsigned>> number_option(const CodeText& text, std::string_view name) {
  const auto found = text.options.find(std::string(name));
  if (found == text.options.end()) return std::optional<unsigned>();
  const std::string& value = found->second;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size())
    return wrong_code("p, w and packetsize take whole numbers below 2^32");
  return std::optional(number);
}

Result<bool> is_unsafe(const CodeText& text) {
  const auto found = text.options.find("unsafe");
  if (found == text.options.end()) return false;
  if (found->second != "yes") return wrong_code("the option unsafe takes only the value yes");
  return true;
}

std::string canonical_start(std::string_view name, const Shape& shape) {
  return std::string(name).append("(").append(std::to_string(shape.k)).append(",").append(std::to_string(shape.m));
}

namespace {

Result<unsigned> tolerance_by_trying(const Shape& shape, const LinearMap& map) {
  for (unsigned loss_count = 1; loss_count <= shape.m; ++loss_count) {
    const auto count = count_patterns(map.checks, shape.alpha, shape.n(), loss_count);
    if (!count)
      return wrong_code("too large for unsafe=yes: to try all losses of {} chunks would take too long", {loss_count});
    if (count->lost > 0) return loss_count - 1;
  }
  return shape.m;
}

}  // namespace

Result<void> settle_tolerance(Shape& shape, const LinearMap& map, bool unsafe, const Refusal& refusal) {
  if (unsafe) {
    PARAPET_TRY(shape.tolerance, tolerance_by_trying(shape, map));
    return {};
  }
  const auto count = count_patterns(map.checks, shape.alpha, shape.n(), shape.m);
  if (!count) return wrong_code(refusal.uncounted, {refusal.nearest});
  if (count->lost > 0) return wrong_code(refusal.counted, {count->lost, count->all, refusal.nearest});
  return {};
}

bool is_prime(unsigned number) {
  for (unsigned divisor = 2; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) return false;
  return number >= 2;
}

unsigned prime_from(unsigned number) {
  while (!is_prime(number)) ++number;
  return number;
}

unsigned nearest_prime(unsigned number, unsigned low, unsigned high) {
  number = std::clamp(number, low, high);
  for (unsigned distance = 0;; ++distance) {
    if (number + distance <= high && is_prime(number + distance)) return number + distance;
    if (number >= low + distance && is_prime(number - distance)) return number - distance;
  }
}

}  // namespace parapet::codec
