#include "codec/clay/clay.h"

#include <algorithm>

#include "base/try.h"
#include "codec/clay/layers.h"
#include "gf/gf256.h"

namespace parapet::codec {

namespace {

constexpr std::uint64_t alpha_max = 4096;
constexpr unsigned m_max = 32;  // a program of more parities takes gigabytes; shards name codes, so it must be bounded

/// U of a parity in a plane, over the C of the data.
SparseRow uncoupled_parity(const ClayGeometry& geometry, const gf::Matrix& plane_matrix, unsigned parity,
                           std::uint32_t plane) {
  SparseRow row;
  const auto add = [&](unsigned node, std::uint32_t in_plane, std::uint8_t coefficient) {
    if (geometry.is_virtual(node)) return;
    const Entry entry{geometry.chunk_of(node) * geometry.plane_count() + in_plane, coefficient};
    add_scaled(row, {&entry, 1}, 1);
  };
  for (unsigned node = 0; node < geometry.data_node_count(); ++node) {
    const std::uint8_t coefficient = plane_matrix.at(parity, node);
    add(node, plane, coefficient);
    if (!geometry.is_single(node, plane))
      add(geometry.partner(node, plane), geometry.partner_plane(node, plane), gf::multiply(coefficient, clay_coupling));
  }
  return row;
}

SparseMatrix clay_generator(unsigned k, unsigned m) {
  const ClayGeometry geometry(k, m);
  const gf::Matrix plane_matrix = clay_plane_matrix(geometry);
  const std::uint8_t scale = gf::inverse(1 ^ gf::multiply(clay_coupling, clay_coupling));
  SparseMatrix generator(std::size_t{k} * geometry.plane_count());
  for (unsigned parity = 0; parity < m; ++parity)
    for (std::uint32_t plane = 0; plane < geometry.plane_count(); ++plane) {
      const unsigned node = geometry.data_node_count() + parity;
      const SparseRow own = uncoupled_parity(geometry, plane_matrix, parity, plane);
      if (geometry.is_single(node, plane)) {
        generator.add_row(own);
        continue;
      }
      SparseRow row;
      add_scaled(row, own, scale);
      add_scaled(row,
                 uncoupled_parity(geometry, plane_matrix, geometry.partner(node, plane) - geometry.data_node_count(),
                                  geometry.partner_plane(node, plane)),
                 gf::multiply(scale, clay_coupling));
      generator.add_row(std::move(row));
    }
  return generator;
}

/// Puts out sub-chunks of lost chunks.
Recipe finish(const ClayGeometry& geometry, RecipeBuilder& builder, const ClayLayers& layers, const ChunkSet& wanted,
              const SubRange& subs, const gf::Kernels& kernels) {
  for (const unsigned chunk : wanted)
    for (std::uint32_t plane = subs.first; plane < subs.last; ++plane)
      builder.output({chunk, plane}, layers.coupled_value(geometry.node_of(chunk), plane));
  return builder.finish(kernels);
}

Recipe decode_recipe(unsigned k, unsigned m, const ChunkSet& lost, const ChunkSet& wanted, const SubRange& subs,
                     const gf::Kernels& kernels) {
  const ClayGeometry geometry(k, m);
  RecipeBuilder builder;
  ClayLayers layers(geometry, builder);
  std::vector<unsigned> nodes;
  for (const unsigned chunk : lost) nodes.push_back(geometry.node_of(chunk));
  layers.decode(nodes);
  return finish(geometry, builder, layers, wanted, subs, kernels);
}

Recipe repair_recipe(unsigned k, unsigned m, const ChunkSet& wanted, const SubRange& subs, const gf::Kernels& kernels) {
  const ClayGeometry geometry(k, m);
  RecipeBuilder builder;
  ClayLayers layers(geometry, builder);
  layers.repair(geometry.node_of(*wanted.begin()));
  return finish(geometry, builder, layers, wanted, subs, kernels);
}

/// Chunks read, and sub-chunks.
std::pair<std::size_t, std::size_t> reads_of(const Recipe& recipe) {
  ChunkSet chunks;
  for (const SubChunk& read : recipe.reads) chunks.insert(read.chunk);
  return {chunks.count(), recipe.reads.size()};
}

bool is_cheaper(const Recipe& a, const Recipe& b, RepairGoal goal) {
  const auto [a_chunks, a_subs] = reads_of(a);
  const auto [b_chunks, b_subs] = reads_of(b);
  return goal == RepairGoal::fewest_bytes ? std::pair(a_subs, a_chunks) < std::pair(b_subs, b_chunks)
                                          : std::pair(a_chunks, a_subs) < std::pair(b_chunks, b_subs);
}

class Clay final : public CodeImpl {
 public:
  Clay(std::string text, const Shape& shape, const gf::Kernels& kernels)
      : CodeImpl(std::move(text), shape, LinearMap::from_generator(clay_generator(shape.k, shape.m)), kernels,
                 decode_recipe(shape.k, shape.m, ChunkSet::range(shape.k, shape.n()),
                               ChunkSet::range(shape.k, shape.n()), {0, shape.alpha}, kernels)) {}

 protected:
  [[nodiscard]] std::optional<Recipe> make_recipe(const RepairTask& task) const override {
    if (task.available.count() < shape().k) return std::nullopt;
    Recipe decode = decode_recipe(shape().k, shape().m, taken_as_lost(task), task.wanted, task.subs, kernels());
    if (task.wanted.count() != 1 || task.available.count() + 1 != shape().n()) return decode;
    Recipe repair = repair_recipe(shape().k, shape().m, task.wanted, task.subs, kernels());
    return is_cheaper(repair, decode, task.goal) ? std::move(repair) : std::move(decode);
  }

 private:
  /// m chunks: those that are not available, and as many of the others that are not needed, the last first.
  [[nodiscard]] ChunkSet taken_as_lost(const RepairTask& task) const {
    ChunkSet lost = ChunkSet::range(0, shape().n()) - task.available;
    for (unsigned chunk = shape().n(); lost.count() < shape().m; --chunk) lost.insert(chunk - 1);
    return lost;
  }
};

}  // namespace

MadeCode make_clay(const CodeText& text, const gf::Kernels& kernels) {
  PARAPET_TRY(Shape shape, parse_k_m(text));
  PARAPET_CHECK(check_options(text, {}, "clay has no options"));
  if (shape.m < 2) return wrong_code("m is 1, and clay needs m >= 2 to read less than all; use xor or m = 2");
  if (shape.m > m_max) return wrong_code("m is {}; the most for clay is {}", {shape.m, m_max});
  const unsigned column_count = (shape.k + shape.m + shape.m - 1) / shape.m;
  if (column_count * shape.m > chunk_count_max)
    return wrong_code("k + m filled up to a multiple of m is {}, the most is {}",
                      {column_count * shape.m, chunk_count_max});
  std::uint64_t alpha = 1;
  for (unsigned y = 0; y < column_count && alpha <= alpha_max; ++y) alpha *= shape.m;
  if (alpha > alpha_max) {
    unsigned columns_max = 0;
    for (std::uint64_t power = shape.m; power <= alpha_max; power *= shape.m) ++columns_max;
    return wrong_code(
        "alpha = m^ceil((k+m)/m) would be above {}, and a chunk at least as many blocks; with m = {} the most is k = "
        "{}",
        {alpha_max, shape.m, std::uint64_t{columns_max - 1} * shape.m});
  }
  shape.alpha = static_cast<unsigned>(alpha);
  return std::shared_ptr<const CodeImpl>(std::make_shared<Clay>(canonical_start("clay", shape) + ")", shape, kernels));
}

}  // namespace parapet::codec
