// Names as text for people.
#pragma once

#include <string>
#include <string_view>

namespace parapet::base {

/// `name` with backslashes, control characters and broken UTF-8 escaped, so that it fits on one line.
std::string printable(std::string_view name);

}  // namespace parapet::base
