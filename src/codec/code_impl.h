// What all codes share behind the public handle.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "codec/delta_map.h"
#include "codec/linear_map.h"
#include "codec/recipe.h"
#include "codec/recipe_cache.h"
#include "codec/repair_task.h"
#include "codec/shape.h"
#include "gf/isa.h"
#include "parapet/result.h"

namespace parapet::codec {

/// A code: a linear map over sub-chunks, and recipes made from it. Most families only make the map; one derives from
/// this where its structure gives better recipes than the checks do. Immutable but for the cache, which locks itself:
/// any number of threads.
class CodeImpl {
 public:
  /// A code whose recipes come from the checks of its map.
  CodeImpl(std::string text, const Shape& shape, LinearMap map, const gf::Kernels& kernels);
  /// A code with an encoder of its own.
  CodeImpl(std::string text, const Shape& shape, LinearMap map, const gf::Kernels& kernels, Recipe encoder);
  virtual ~CodeImpl() = default;
  CodeImpl(const CodeImpl&) = delete;
  CodeImpl& operator=(const CodeImpl&) = delete;

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const LinearMap& map() const { return map_; }
  [[nodiscard]] const DeltaMap& deltas() const { return deltas_; }
  /// All data sub-chunks to all parity sub-chunks.
  [[nodiscard]] const Recipe& encoder() const { return encoder_; }

  /// Whether the chunks in `available` determine all others.
  [[nodiscard]] bool decodable(const ChunkSet& available) const;

  /// The cheapest recipe known, from the cache if it is there. `available` and `wanted` are disjoint sets of chunks
  /// below n, `subs` is not empty and within alpha. Errors: too_many_losses.
  Result<std::shared_ptr<const Recipe>> recipe(const RepairTask& task) const;

 protected:
  [[nodiscard]] const gf::Kernels& kernels() const { return *kernels_; }
  /// Makes a recipe; nothing when the wanted bytes do not follow from what is available.
  [[nodiscard]] virtual std::optional<Recipe> make_recipe(const RepairTask& task) const;

 private:
  std::string text_;
  Shape shape_;
  const gf::Kernels* kernels_;
  LinearMap map_;
  DeltaMap deltas_;
  Recipe encoder_;
  mutable RecipeCache cache_;
};

}  // namespace parapet::codec
