// Early return of errors.
#pragma once

#include <utility>

#define PARAPET_TRY_JOIN2(a, b) a##b
#define PARAPET_TRY_JOIN(a, b) PARAPET_TRY_JOIN2(a, b)

/// PARAPET_TRY(auto value, make()): binds the value of a Result, or returns its error from this function.
#define PARAPET_TRY(declaration, expression)                                                                          \
  auto PARAPET_TRY_JOIN(parapet_try_, __LINE__) = (expression);                                                       \
  if (!PARAPET_TRY_JOIN(parapet_try_, __LINE__).has_value()) return PARAPET_TRY_JOIN(parapet_try_, __LINE__).error(); \
  declaration = std::move(PARAPET_TRY_JOIN(parapet_try_, __LINE__)).value()

/// PARAPET_CHECK(do_it()): returns the error of a Result<void>, if it has one, from this function.
#define PARAPET_CHECK(expression) \
  if (auto parapet_check_ = (expression); !parapet_check_.has_value()) return parapet_check_.error()
