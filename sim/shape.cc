#include "sim/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace parapet::sim {

Shape Shape::any(base::Prng& prng) {
  constexpr std::array codes = {"rs(2,1)",    "rs(4,2)",  "rs(3,3)",          "xrs(4,2)",
                                "lrc(4,2,2)", "rdp(4,2)", "replication(1,2)", "cauchy_good(3,2,packetsize=512)",
                                "xor(3,1)",   "clay(4,2)"};
  Shape shape;
  shape.code = codes[prng.below(codes.size())];
  const Code code = Code::parse(shape.code).value();
  shape.devices = code.n() + static_cast<unsigned>(prng.below(3));
  shape.chunk_size = static_cast<std::uint32_t>(16 << 10) << prng.below(3);
  shape.scheme = static_cast<pool::Scheme>(prng.below(4));
  shape.log_size = (256 << 10) << prng.below(3);
  return shape;
}

unsigned Shape::budget() const { return std::min(Code::parse(code).value().tolerance(), devices - majority()); }

std::string Shape::text() const {
  return fmt::format("{} on {} devices, chunks of {}, scheme {}, log of {}", code, devices, chunk_size,
                     pool::name_of(scheme), log_size);
}

}  // namespace parapet::sim
