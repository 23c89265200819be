#include "codec/bitmatrix/bitmatrix.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/try.h"
#include "codec/bitmatrix/cauchy_elements.h"

namespace parapet::codec {

namespace {

constexpr unsigned packet_size_multiple = 8;
constexpr std::size_t packet_size_max = std::size_t{1} << 30;

/// The ones of a block: bit (row, column) of the block of parity `i` and data chunk `j`.
using IsOne = std::function<bool(unsigned i, unsigned j, unsigned row, unsigned column)>;

SparseMatrix generator_of(const Shape& shape, const IsOne& is_one) {
  const unsigned w = shape.alpha;
  SparseMatrix generator(std::size_t{shape.k} * w);
  for (unsigned i = 0; i < shape.m; ++i)
    for (unsigned row = 0; row < w; ++row) {
      SparseRow entries;
      for (unsigned j = 0; j < shape.k; ++j)
        for (unsigned column = 0; column < w; ++column)
          if (is_one(i, j, row, column)) entries.push_back({j * w + column, 1});
      generator.add_row(std::move(entries));
    }
  return generator;
}

/// RAID-6: the first parity is the XOR of the data, the second one has a block of its own for each data chunk.
IsOne raid6(std::function<bool(unsigned j, unsigned row, unsigned column)> second) {
  return [second = std::move(second)](unsigned i, unsigned j, unsigned row, unsigned column) {
    return i == 0 ? row == column : second(j, row, column);
  };
}

/// Column x of an element's block has the bits of element * 2^x.
IsOne blocks_of(ElementMatrix elements, BinaryField field) {
  return [elements = std::move(elements), field](unsigned i, unsigned j, unsigned row, unsigned column) {
    return (field.multiply(elements[i][j], std::uint32_t{1} << column) >> row & 1) != 0;
  };
}

/// An identity whose ones are moved j columns on, and for j > 0 one more one.
bool liberation_bit(unsigned w, unsigned j, unsigned row, unsigned column) {
  if (column == (j + row) % w) return true;
  return j > 0 && row == j * ((w - 1) / 2) % w && column == (row + j - 1) % w;
}

/// With rows and columns numbered from 1, modulo p = w + 1: row r has its one in column r + j; row -j, where that is
/// column 0, has ones in columns j and j / 2.
bool blaum_roth_bit(unsigned w, unsigned j, unsigned row, unsigned column) {
  const unsigned p = w + 1;
  if (j == 0) return row == column;
  if (row + 1 != p - j) return column + 1 == (row + 1 + j) % p;
  return column + 1 == j || column + 1 == (j % 2 == 0 ? j / 2 : p / 2 + 1 + j / 2);
}

// Plank 2008: found by search. Row by row, bit x of a byte is column x.
constexpr std::uint8_t liber8tion_blocks[8][8] = {
    {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80}, {0x80, 0x08, 0x01, 0x04, 0xC0, 0x02, 0x20, 0x10},
    {0x40, 0x0C, 0x10, 0x01, 0x80, 0x08, 0x02, 0x20}, {0x04, 0x20, 0x80, 0x40, 0x01, 0x18, 0x10, 0x02},
    {0x20, 0x40, 0x03, 0x80, 0x04, 0x10, 0x08, 0x01}, {0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x05},
    {0x08, 0x01, 0x40, 0x20, 0x02, 0x80, 0x30, 0x04}, {0x10, 0x80, 0x02, 0x22, 0x08, 0x04, 0x01, 0x40}};

/// A code's text, read.
struct Parameters {
  Shape shape;
  bool unsafe = false;
};

/// packetsize and unsafe, and w, at most `w_max` and `w_default` where the text does not say.
Result<Parameters> parse_options(const CodeText& text, Shape shape, unsigned w_default,
                                 unsigned w_max = chunk_count_max) {
  PARAPET_CHECK(check_options(text, {"w", "packetsize", "unsafe"}, "the options are w, packetsize and unsafe"));
  PARAPET_TRY(const auto w, number_option(text, "w"));
  PARAPET_TRY(const auto packet_size, number_option(text, "packetsize"));
  PARAPET_TRY(const bool unsafe, is_unsafe(text));
  shape.alpha = w.value_or(w_default);
  if (shape.alpha < BinaryField::w_min || shape.alpha > w_max)
    return wrong_code("w is {}; it is from {} to {}", {shape.alpha, BinaryField::w_min, w_max});
  if (packet_size) {
    if (*packet_size > packet_size_max)
      return wrong_code("packetsize is {}; the most is {}", {*packet_size, packet_size_max});
    const unsigned rounded =
        std::max((*packet_size + packet_size_multiple / 2) / packet_size_multiple, 1U) * packet_size_multiple;
    if (*packet_size != rounded)
      return wrong_code("packetsize is {}, which is no positive multiple of {}; the nearest is {}",
                        {*packet_size, packet_size_multiple, rounded});
    shape.packet_size = *packet_size;
  }
  return Parameters{shape, unsafe};
}

std::string canonical_text(std::string_view name, const Parameters& parameters, unsigned w_default) {
  std::string text = canonical_start(name, parameters.shape);
  if (parameters.shape.alpha != w_default) text.append(",w=").append(std::to_string(parameters.shape.alpha));
  if (parameters.shape.packet_size != 0)
    text.append(",packetsize=").append(std::to_string(parameters.shape.packet_size));
  if (parameters.unsafe) text.append(",unsafe=yes");
  return text + ")";
}

std::shared_ptr<const CodeImpl> make(std::string text, const Shape& shape, LinearMap map, const gf::Kernels& kernels) {
  return std::make_shared<CodeImpl>(std::move(text), shape, std::move(map), kernels);
}

MadeCode make_cauchy(const CodeText& text, const gf::Kernels& kernels,
                     ElementMatrix (*elements)(unsigned, unsigned, const BinaryField&)) {
  constexpr unsigned w_default = 8;
  PARAPET_TRY(const Shape shape, parse_k_m(text));
  PARAPET_TRY(const Parameters parameters, parse_options(text, shape, w_default, BinaryField::w_max));
  const unsigned w = parameters.shape.alpha;
  if (std::uint64_t{shape.n()} > std::uint64_t{1} << w)
    return wrong_code("k + m is {}, more than 2^w with w = {}; the nearest legal w is {}",
                      {shape.n(), w, std::uint64_t{std::bit_width(shape.n() - 1)}});
  if (parameters.unsafe) return wrong_code("every legal cauchy code is MDS: leave unsafe out");
  const BinaryField field(w);
  const IsOne is_one = blocks_of(elements(shape.k, shape.m, field), field);
  return make(canonical_text(text.name, parameters, w_default), parameters.shape,
              LinearMap::from_generator(generator_of(parameters.shape, is_one)), kernels);
}

}  // namespace

MadeCode make_cauchy_orig(const CodeText& text, const gf::Kernels& kernels) {
  return make_cauchy(text, kernels, cauchy_orig_elements);
}

MadeCode make_cauchy_good(const CodeText& text, const gf::Kernels& kernels) {
  return make_cauchy(text, kernels, cauchy_good_elements);
}

MadeCode make_liberation(const CodeText& text, const gf::Kernels& kernels) {
  constexpr unsigned w_max = 251;  // the largest prime of at most 256
  PARAPET_TRY(const Shape shape, parse_k_2(text));
  if (shape.k > w_max) return wrong_code("k is {}; liberation takes at most {}, its largest w", {shape.k, w_max});
  const unsigned w_default = prime_from(std::max(shape.k, 3U));
  PARAPET_TRY(const Parameters parameters, parse_options(text, shape, w_default));
  const unsigned w = parameters.shape.alpha;
  if (w < shape.k || !is_prime(w) || w < 3)
    return wrong_code("w is {}; it must be a prime of at least 3 and at least k = {}; the nearest is {}",
                      {w, shape.k, nearest_prime(w, w_default, w_max)});
  if (parameters.unsafe) return wrong_code("every legal liberation code is MDS: leave unsafe out");
  const auto second = [w](unsigned j, unsigned row, unsigned column) { return liberation_bit(w, j, row, column); };
  return make(canonical_text(text.name, parameters, w_default), parameters.shape,
              LinearMap::from_generator(generator_of(parameters.shape, raid6(second))), kernels);
}

MadeCode make_blaum_roth(const CodeText& text, const gf::Kernels& kernels) {
  PARAPET_TRY(const Shape shape, parse_k_2(text));
  const unsigned w_default = prime_from(std::max(shape.k, 2U) + 1) - 1;
  PARAPET_TRY(Parameters parameters, parse_options(text, shape, w_default));
  const unsigned w = parameters.shape.alpha;
  if (w < shape.k) return wrong_code("w is {}, less than k = {}; the nearest legal w is {}", {w, shape.k, w_default});
  const auto second = [w](unsigned j, unsigned row, unsigned column) { return blaum_roth_bit(w, j, row, column); };
  LinearMap map = LinearMap::from_generator(generator_of(parameters.shape, raid6(second)));
  if (parameters.unsafe || !is_prime(w + 1))
    PARAPET_CHECK(
        settle_tolerance(parameters.shape, map, parameters.unsafe,
                         {"w + 1 must be prime: with this w, {} of {} losses of two chunks cannot be decoded; "
                          "the nearest legal w is {}, and unsafe=yes takes it as it is",
                          "w + 1 must be prime; the nearest legal w is {}",
                          nearest_prime(w + 1, w_default + 1, chunk_count_max + 1) - 1}));
  return make(canonical_text(text.name, parameters, w_default), parameters.shape, std::move(map), kernels);
}

MadeCode make_liber8tion(const CodeText& text, const gf::Kernels& kernels) {
  constexpr unsigned w = 8;
  PARAPET_TRY(const Shape shape, parse_k_2(text));
  if (shape.k > w) return wrong_code("k is {}; liber8tion takes at most {}", {shape.k, w});
  PARAPET_TRY(const Parameters parameters, parse_options(text, shape, w));
  if (parameters.shape.alpha != w)
    return wrong_code("w is {}; liber8tion has w = {} only", {parameters.shape.alpha, w});
  if (parameters.unsafe) return wrong_code("every liber8tion code is MDS: leave unsafe out");
  const auto second = [](unsigned j, unsigned row, unsigned column) {
    return (liber8tion_blocks[j][row] >> column & 1) != 0;
  };
  return make(canonical_text(text.name, parameters, w), parameters.shape,
              LinearMap::from_generator(generator_of(parameters.shape, raid6(second))), kernels);
}

}  // namespace parapet::codec
