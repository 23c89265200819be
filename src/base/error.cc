#include "parapet/error.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "parapet/result.h"

namespace parapet {

std::string Error::message() const {
  std::string text = operation;
  text += ": ";
  std::size_t next = 0;
  for (std::string_view rest = reason; !rest.empty();) {
    const std::size_t brace = next < values.size() ? rest.find("{}") : std::string_view::npos;
    text += rest.substr(0, brace);
    if (brace == std::string_view::npos) break;
    text += std::to_string(values[next++]);
    rest.remove_prefix(brace + 2);
  }
  if (os_errno != 0) {
    text += ": ";
    text += std::strerror(os_errno);
  }
  return text;
}

namespace detail {
void fail_result_access(const std::string& message) {
  std::fprintf(stderr, "parapet: value of a failed Result was read: %s\n", message.c_str());
  std::abort();
}
}  // namespace detail

}  // namespace parapet
