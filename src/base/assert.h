// Assertions for programmer errors: on in every build. No input, disk content or peer may reach one.
#pragma once

namespace parapet::base {
/// Prints what failed and where, and aborts.
[[noreturn]] void fail_assertion(const char* expression, const char* file, int line);
}  // namespace parapet::base

#define PARAPET_ASSERT(expression) \
  ((expression) ? void(0) : ::parapet::base::fail_assertion(#expression, __FILE__, __LINE__))
