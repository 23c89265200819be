#include "layout/set_id.h"

namespace parapet::layout {

std::string SetId::text() const {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace parapet::layout
