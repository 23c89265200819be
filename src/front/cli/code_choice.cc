#include "front/cli/code_choice.h"

#include <fmt/format.h>

#include "base/try.h"

namespace parapet::front {
namespace {

constexpr unsigned lrc_groups = 2;

/// How the codes of a family are written that have k data and m parity chunks.
std::vector<std::string> texts_of(std::string_view family, unsigned k, unsigned m) {
  if (family != "lrc") return {fmt::format("{}({},{})", family, k, m)};
  if (m <= lrc_groups) return {};
  const std::string start = fmt::format("lrc({},{},{}", k, lrc_groups, m - lrc_groups);
  return {start + ")", start + ",groups=uniform)"};
}

/// The message without the operation.
std::string reason_of(const Error& error) {
  const std::string message = error.message();
  return message.substr(message.find(": ") + 2);
}

}  // namespace

Result<CodeChoice> codes_with(unsigned k, unsigned m) {
  PARAPET_CHECK(Code::parse(fmt::format("rs({},{})", k, m)));  // It has no rules but those for all.
  CodeChoice choice;
  for (const std::string_view usage : Code::families()) {
    const std::string_view family = usage.substr(0, usage.find('('));
    const std::vector<std::string> texts = texts_of(family, k, m);
    if (texts.empty())
      choice.absent.push_back(
          {fmt::format("lrc({},2,m-2)", k),
           fmt::format("m is {}; two groups and a global parity need m >= 3, and one group alone is "
                       "not local",
                       m)});
    for (const std::string& text : texts) {
      auto code = Code::parse(text);
      if (code)
        choice.codes.push_back(std::move(*code));
      else if (code.error().code == ErrorCode::invalid_argument)
        choice.absent.push_back({text, reason_of(code.error())});
      else
        return code.error();
    }
  }
  return choice;
}

}  // namespace parapet::front
