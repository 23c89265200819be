#include "codec/families.h"

#include <array>

#include "codec/rs/rs.h"
#include "codec/xrs/xrs.h"

namespace parapet::codec {

std::span<const Family> families() {
  static constexpr std::array list = {
      Family{"rs", "rs(k,m) or rs(k,m,matrix=cauchy|isal|jerasure|vandermonde)", make_rs},
      Family{"xrs", "xrs(k,m)", make_xrs},
  };
  return list;
}

Result<Shape> parse_k_m(const CodeText& text) {
  if (text.numbers.size() != 2)
    return Error{ErrorCode::invalid_argument,
                 "code",
                 "{} numbers were given, k and m are wanted, as in rs(12,4)",
                 {text.numbers.size()}};
  const unsigned k = text.numbers[0];
  const unsigned m = text.numbers[1];
  if (k == 0 || m == 0) return Error{ErrorCode::invalid_argument, "code", "k and m must be at least 1"};
  if (k > chunk_count_max || m > chunk_count_max || k + m > chunk_count_max)
    return Error{
        ErrorCode::invalid_argument, "code", "k + m is {}, the most is {}", {std::uint64_t{k} + m, chunk_count_max}};
  return Shape{.k = k, .m = m, .alpha = 1, .tolerance = m};
}

}  // namespace parapet::codec
