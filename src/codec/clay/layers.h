// How Clay codes are encoded, decoded and repaired, plane by plane.
//
// Invariants:
//  1. `coupled_` has the C of sub-chunks that are lost and already made good; all other C are read or zero.
//  2. `uncoupled_` has the U of lost nodes in planes that were decoded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "codec/clay/geometry.h"
#include "codec/recipe_builder.h"
#include "gf/matrix.h"

namespace parapet::codec {

/// The coupling factor g: neither 0 nor 1, so that any two of C, C', U, U' of a pair give the other two.
inline constexpr std::uint8_t clay_coupling = 2;

/// The plain code of each plane: parities of the data and virtual nodes.
gf::Matrix clay_plane_matrix(const ClayGeometry& geometry);

/// Adds steps to a builder that make C of lost nodes.
class ClayLayers {
 public:
  using Value = RecipeBuilder::Value;

  ClayLayers(const ClayGeometry& geometry, RecipeBuilder& builder) : geometry_(geometry), builder_(builder) {}

  /// All planes of `lost`, q nodes, from all planes of the others. In a plane where no lost node is single (its digit
  /// of the node's column is not the node's place), every U but those of lost nodes follows from what is read. Where s
  /// of them are, it takes the C of lost nodes in planes where s - 1 are: so planes go in the order of s.
  void decode(const std::vector<unsigned>& lost);

  /// All planes of one node, from the planes of all others in which it is single.
  void repair(unsigned lost);

  /// C of a lost node, after one of the two above.
  [[nodiscard]] Value coupled_value(unsigned node, std::uint32_t plane) const { return *coupled_.at({node, plane}); }

 private:
  using Key = std::pair<unsigned, std::uint32_t>;  // node, plane
  using Possible = std::optional<Value>;           // nothing: zero

  Possible coupled(unsigned node, std::uint32_t plane);
  Possible combine(std::uint8_t a_factor, Possible a, std::uint8_t b_factor, Possible b);
  void decode_plane(std::uint32_t plane, const std::vector<unsigned>& lost);
  void couple(std::uint32_t plane, const std::vector<unsigned>& lost);
  void prepare(const std::vector<unsigned>& lost);

  const ClayGeometry& geometry_;
  RecipeBuilder& builder_;
  std::vector<bool> is_lost_;        // by node
  std::vector<unsigned> survivors_;  // nodes, ascending
  gf::Matrix decoder_;               // lost nodes by survivors
  std::map<Key, Possible> coupled_;
  std::map<Key, Possible> uncoupled_;
};

}  // namespace parapet::codec
