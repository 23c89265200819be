// What all codes share behind the public handle.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "codec/delta_map.h"
#include "codec/recipe.h"
#include "codec/recipe_cache.h"
#include "gf/isa.h"
#include "gf/matrix.h"
#include "parapet/chunk_set.h"
#include "parapet/result.h"

namespace parapet::codec {

/// The numbers of a code.
struct Shape {
  unsigned k = 0;
  unsigned m = 0;
  unsigned alpha = 1;
  unsigned tolerance = 0;
  [[nodiscard]] unsigned n() const { return k + m; }
};

/// A code: its generator over sub-chunks, and recipes made from it. A family derives from this and gives its generator
/// and its cheapest recipes. Immutable but for the cache, which locks itself: any number of threads.
class CodeImpl {
 public:
  virtual ~CodeImpl() = default;
  CodeImpl(const CodeImpl&) = delete;
  CodeImpl& operator=(const CodeImpl&) = delete;

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  /// m * alpha rows by k * alpha columns: parity sub-chunks from data sub-chunks, both chunk by chunk.
  [[nodiscard]] const gf::Matrix& generator() const { return generator_; }
  [[nodiscard]] const DeltaMap& deltas() const { return deltas_; }
  /// All data sub-chunks to all parity sub-chunks.
  [[nodiscard]] const Program& encoder() const { return encoder_; }

  /// Whether the chunks in `available` determine all others. Here for MDS codes: any k do.
  [[nodiscard]] virtual bool decodable(const ChunkSet& available) const;

  /// The cheapest recipe known, from the cache if it is there. `available` and `wanted` are disjoint sets of chunks
  /// below n, `subs` is not empty and within alpha. Errors: too_many_losses.
  Result<std::shared_ptr<const Recipe>> recipe(const RecipeKey& key) const;

 protected:
  CodeImpl(std::string text, const Shape& shape, gf::Matrix generator, const gf::Kernels& kernels, Program encoder);

  [[nodiscard]] const gf::Kernels& kernels() const { return *kernels_; }
  /// Makes a recipe; nothing when the wanted bytes do not follow from what is available.
  [[nodiscard]] virtual std::optional<Recipe> make_recipe(const RecipeKey& key) const = 0;

 private:
  std::string text_;
  Shape shape_;
  const gf::Kernels* kernels_;
  gf::Matrix generator_;
  DeltaMap deltas_;
  Program encoder_;
  mutable RecipeCache cache_;
};

}  // namespace parapet::codec
