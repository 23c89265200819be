// The text form of a code: name(number,number,key=word).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "parapet/result.h"

namespace parapet::codec {

/// A code's text, taken apart.
struct CodeText {
  std::string name;
  std::vector<unsigned> numbers;
  std::map<std::string, std::string> options;
};

/// Blanks are ignored; numbers come before options. Errors: invalid_argument, with the position of what is wrong.
Result<CodeText> parse_code_text(std::string_view text);

}  // namespace parapet::codec
