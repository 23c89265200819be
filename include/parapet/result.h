// A value or an error, with the member names of C++23's std::expected.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "parapet/error.h"

namespace parapet {

namespace detail {
/// Prints `message` and aborts: using the value of a failed Result is a programmer error.
[[noreturn]] PARAPET_EXPORT void fail_result_access(const std::string& message);

template <class E>
[[noreturn]] void fail_result_access_of(const E& error) {
  if constexpr (requires { error.message(); })
    fail_result_access(error.message());
  else
    fail_result_access("value() of a failed Result");
}
}  // namespace detail

/// Either a T or an E. Both convert implicitly, so a function returns `value` or `Error{...}`.
/// Reading the value of a failed result aborts, in every build.
template <class T, class E = Error>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  using error_type = E;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  T& value() & { return check(), *std::get_if<0>(&state_); }
  const T& value() const& { return check(), *std::get_if<0>(&state_); }
  T&& value() && { return check(), std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  template <class U>
  T value_or(U&& fallback) const& {
    return has_value() ? value() : static_cast<T>(std::forward<U>(fallback));
  }

  /// Requires `!has_value()`.
  [[nodiscard]] const E& error() const { return std::get<1>(state_); }

 private:
  void check() const {
    if (!has_value()) detail::fail_result_access_of(error());
  }
  std::variant<T, E> state_;
};

/// Success without a value, or an E.
template <class E>
class [[nodiscard]] Result<void, E> {
 public:
  using value_type = void;
  using error_type = E;

  Result() = default;
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }
  void value() const {
    if (!has_value()) detail::fail_result_access_of(error());
  }
  /// Requires `!has_value()`.
  [[nodiscard]] const E& error() const { return std::get<1>(state_); }

 private:
  std::variant<std::monostate, E> state_;
};

}  // namespace parapet
