#include "codec/clay/layers.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"
#include "codec/rs/matrices.h"
#include "gf/gf256.h"

namespace parapet::codec {

namespace {

/// Lost nodes that are single in a plane.
unsigned score(const ClayGeometry& geometry, std::uint32_t plane, const std::vector<unsigned>& lost) {
  return static_cast<unsigned>(
      std::ranges::count_if(lost, [&](unsigned node) { return geometry.is_single(node, plane); }));
}

}  // namespace

gf::Matrix clay_plane_matrix(const ClayGeometry& geometry) {
  return cauchy_matrix(geometry.data_node_count(), geometry.q());
}

/// Finds how the U of the lost nodes follow from those of the others.
void ClayLayers::prepare(const std::vector<unsigned>& lost) {
  const unsigned data_count = geometry_.data_node_count();
  const gf::Matrix parity = clay_plane_matrix(geometry_);
  is_lost_.assign(geometry_.node_count(), false);
  for (const unsigned node : lost) is_lost_[node] = true;
  survivors_.clear();
  for (unsigned node = 0; node < geometry_.node_count(); ++node)
    if (!is_lost_[node]) survivors_.push_back(node);
  const auto rows_of = [&](const std::vector<unsigned>& nodes) {
    gf::Matrix rows(nodes.size(), data_count);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i] < data_count)
        rows.at(i, nodes[i]) = 1;
      else
        std::ranges::copy(parity.row(nodes[i] - data_count), rows.row(i).begin());
    }
    return rows;
  };
  auto decoder = gf::express(rows_of(lost), rows_of(survivors_));
  PARAPET_ASSERT(decoder.has_value());
  decoder_ = std::move(*decoder);
}

ClayLayers::Possible ClayLayers::coupled(unsigned node, std::uint32_t plane) {
  if (is_lost_[node]) return coupled_.at({node, plane});
  if (geometry_.is_virtual(node)) return std::nullopt;
  return builder_.read({geometry_.chunk_of(node), plane});
}

/// a_factor * a + b_factor * b. Always a product, also with a factor of one: so all steps share few of them.
ClayLayers::Possible ClayLayers::combine(std::uint8_t a_factor, Possible a, std::uint8_t b_factor, Possible b) {
  if (!a) std::swap(a, b), std::swap(a_factor, b_factor);
  if (!a || (!b && a_factor == 1)) return a;
  gf::Matrix coefficients(1, b ? 2 : 1);
  RecipeBuilder::Values sources{*a};
  coefficients.at(0, 0) = a_factor;
  if (b) {
    coefficients.at(0, 1) = b_factor;
    sources.push_back(*b);
  }
  return builder_.multiply(std::move(coefficients), std::move(sources))[0];
}

/// U of the lost nodes in a plane, from the U of all others. These are written as C + g C' right away: multiplying
/// twice as many sources takes less than making every U first, storing it and loading it again.
void ClayLayers::decode_plane(std::uint32_t plane, const std::vector<unsigned>& lost) {
  struct Column {
    std::size_t survivor;
    std::uint8_t factor;
  };
  RecipeBuilder::Values sources;
  std::vector<Column> columns;
  const auto add = [&](std::size_t survivor, std::uint8_t factor, Possible value) {
    if (!value) return;
    sources.push_back(*value);
    columns.push_back({survivor, factor});
  };
  for (std::size_t j = 0; j < survivors_.size(); ++j) {
    const unsigned node = survivors_[j];
    add(j, 1, coupled(node, plane));
    if (!geometry_.is_single(node, plane))
      add(j, clay_coupling, coupled(geometry_.partner(node, plane), geometry_.partner_plane(node, plane)));
  }
  gf::Matrix coefficients(lost.size(), columns.size());
  for (std::size_t i = 0; i < lost.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j)
      coefficients.at(i, j) = gf::multiply(decoder_.at(i, columns[j].survivor), columns[j].factor);
  const auto values = builder_.multiply(std::move(coefficients), std::move(sources));
  for (std::size_t i = 0; i < lost.size(); ++i) uncoupled_[{lost[i], plane}] = values[i];
}

/// C of the lost nodes in a plane from their U, as far as the U of lost partners are known; these then get theirs too.
void ClayLayers::couple(std::uint32_t plane, const std::vector<unsigned>& lost) {
  constexpr std::uint8_t g = clay_coupling;
  const std::uint8_t scale = gf::inverse(1 ^ gf::multiply(g, g));
  for (const unsigned node : lost) {
    const Possible own = uncoupled_.at({node, plane});
    const unsigned partner = geometry_.partner(node, plane);
    const std::uint32_t partner_plane = geometry_.partner_plane(node, plane);
    if (partner == node) {
      coupled_[{node, plane}] = own;
    } else if (!is_lost_[partner]) {
      coupled_[{node, plane}] = combine(1, own, g, coupled(partner, partner_plane));
    } else if (const auto other = uncoupled_.find({partner, partner_plane}); other != uncoupled_.end()) {
      gf::Matrix coefficients(2, 2);
      coefficients.at(0, 0) = coefficients.at(1, 1) = scale;
      coefficients.at(0, 1) = coefficients.at(1, 0) = gf::multiply(scale, g);
      const auto pair = builder_.multiply(std::move(coefficients), {*own, *other->second});
      coupled_[{node, plane}] = pair[0];
      coupled_[{partner, partner_plane}] = pair[1];
    }
  }
}

void ClayLayers::decode(const std::vector<unsigned>& lost) {
  prepare(lost);
  std::vector<std::uint32_t> planes(geometry_.plane_count());
  std::iota(planes.begin(), planes.end(), 0U);
  std::ranges::stable_sort(planes, {}, [&](std::uint32_t plane) { return score(geometry_, plane, lost); });
  for (const std::uint32_t plane : planes) {
    decode_plane(plane, lost);
    couple(plane, lost);
  }
}

void ClayLayers::repair(unsigned lost) {
  const unsigned y = geometry_.y(lost);
  std::vector<unsigned> column(geometry_.q());
  std::iota(column.begin(), column.end(), y * geometry_.q());
  prepare(column);
  for (std::uint32_t plane = 0; plane < geometry_.plane_count(); ++plane) {
    if (!geometry_.is_single(lost, plane)) continue;
    decode_plane(plane, column);
    for (const unsigned node : column) {
      const Possible value = uncoupled_.at({node, plane});
      // U = C + g C' of the lost node, so C' = (U + C) / g.
      const std::uint8_t factor = gf::inverse(clay_coupling);
      const Possible own =
          node == lost || geometry_.is_virtual(node) ? Possible() : builder_.read({geometry_.chunk_of(node), plane});
      coupled_[{lost, geometry_.partner_plane(node, plane)}] =
          node == lost ? value : combine(factor, value, factor, own);
    }
  }
}

}  // namespace parapet::codec
