#include "codec/code_text.h"

#include <charconv>

#include "base/try.h"

namespace parapet::codec {

namespace {

constexpr std::size_t text_length_max = 128;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '+';
}

/// Reads the text from left to right.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word_character(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  [[nodiscard]] Error error(const char* reason) const {
    return {ErrorCode::invalid_argument, "code", reason, {at_ + 1}};
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<void> parse_argument(Scanner& scanner, CodeText& result) {
  const std::string_view word = scanner.word();
  if (word.empty()) return scanner.error("expected a number or key=value at character {}");
  if (scanner.accept('=')) {
    const std::string_view value = scanner.word();
    if (value.empty()) return scanner.error("expected a value after '=' at character {}");
    if (!result.options.emplace(word, value).second) return scanner.error("repeated option before character {}");
    return {};
  }
  unsigned number = 0;
  if (!is_number(word)) return scanner.error("expected a number before character {}");
  if (std::from_chars(word.data(), word.data() + word.size(), number).ec != std::errc())
    return scanner.error("the number before character {} is too large");
  if (!result.options.empty()) return scanner.error("numbers come before options: see character {}");
  result.numbers.push_back(number);
  return {};
}

}  // namespace

Result<CodeText> parse_code_text(std::string_view text) {
  Scanner scanner(text);
  if (text.size() > text_length_max) return scanner.error("longer than any code's text");
  CodeText result;
  result.name = scanner.word();
  if (result.name.empty()) return scanner.error("expected a name, as in rs(12,4), at character {}");
  if (!scanner.accept('(')) return scanner.error("expected '(' at character {}, as in rs(12,4)");
  do {
    PARAPET_CHECK(parse_argument(scanner, result));
  } while (scanner.accept(','));
  if (!scanner.accept(')')) return scanner.error("expected ',' or ')' at character {}");
  if (!scanner.at_end()) return scanner.error("unexpected text at character {}");
  return result;
}

}  // namespace parapet::codec
