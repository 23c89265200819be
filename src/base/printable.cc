#include "base/printable.h"

namespace parapet::base {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

/// The length of the well-formed UTF-8 sequence that `text` begins with, or 0. (RFC 3629, section 4.)
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto continued = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return continued(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef)
    return continued(1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf) && continued(2) ? 3 : 0;
  if (lead >= 0xf0 && lead <= 0xf4)
    return continued(1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf) && continued(2) && continued(3) ? 4 : 0;
  return 0;
}

}  // namespace

std::string printable(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    const std::size_t length = utf8_length(name);
    const auto byte = static_cast<unsigned char>(name.front());
    const bool control = byte < 0x20 || byte == 0x7f || (length == 2 && byte == 0xc2 && (name[1] & 0xff) < 0xa0);
    if (name.front() == '\n') {
      text += "\\n";
    } else if (name.front() == '\\') {
      text += "\\\\";
    } else if (length == 0 || control) {
      text += {'\\', 'x', hex_digits[byte >> 4], hex_digits[byte & 15]};
    } else {
      text += name.substr(0, length);
    }
    name.remove_prefix(control || length == 0 ? 1 : length);
  }
  return text;
}

}  // namespace parapet::base
