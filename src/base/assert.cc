#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace parapet::base {

void fail_assertion(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "parapet: assertion failed at %s:%d: %s\n", file, line, expression);
  std::abort();
}

}  // namespace parapet::base
