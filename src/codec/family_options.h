// What families ask of a code's text.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "codec/code_impl.h"
#include "codec/code_text.h"

namespace parapet::codec {

/// What makes a code of a family from its text.
using MadeCode = Result<std::shared_ptr<const CodeImpl>>;

/// An error about a code's parameters. `reason` has static storage.
Error wrong_code(const char* reason, std::array<std::uint64_t, 3> values = {});

/// k and m from a text with just these two numbers, with 1 <= k, 1 <= m, k + m <= 256; tolerance m.
Result<Shape> parse_k_m(const CodeText& text);

/// As `parse_k_m`, and m must be 2.
Result<Shape> parse_k_2(const CodeText& text);

/// Every option of the text is one of `known`; else an error with `reason`, which should name these.
Result<void> check_options(const CodeText& text, std::initializer_list<std::string_view> known, const char* reason);

/// The number that an option gives; nothing without it.
Result<std::optional<unsigned>> number_option(const CodeText& text, std::string_view name);

/// unsafe=yes: parameters with which some losses of m chunks cannot be decoded are taken nevertheless.
Result<bool> is_unsafe(const CodeText& text);

/// "NAME(k,m" and the options, without the closing parenthesis.
std::string canonical_start(std::string_view name, const Shape& shape);

/// Why a code that is not MDS is refused.
struct Refusal {
  const char* counted;        ///< "{}" of "{}" losses, and then perhaps the nearest legal value.
  const char* uncounted;      ///< The same where there are too many to try: perhaps the nearest legal value only.
  std::uint64_t nearest = 0;  ///< The nearest legal value.
};

/// A code that its family's rule does not promise to be MDS. Safe: refused when a loss of m chunks cannot be decoded.
/// Unsafe: its tolerance is what every loss of so many chunks allows, found by trying them all.
Result<void> settle_tolerance(Shape& shape, const LinearMap& map, bool unsafe, const Refusal& refusal);

bool is_prime(unsigned number);
/// The smallest prime of at least `number`.
unsigned prime_from(unsigned number);
/// The prime from `low` to `high` that is nearest to `number`, the higher of two; there is one.
unsigned nearest_prime(unsigned number, unsigned low, unsigned high);

}  // namespace parapet::codec
