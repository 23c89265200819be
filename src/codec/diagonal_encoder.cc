#include "codec/diagonal_encoder.h"

#include "codec/check_recipe.h"

namespace parapet::codec {

Recipe make_diagonal_encoder(const LinearMap& map, const Shape& shape, gf::DiagonalAddend addend,
                             const gf::Kernels& kernels) {
  Recipe recipe = make_check_encoder(map, shape, kernels);
  if (gf::DiagonalSums::supports(kernels, shape.alpha))
    recipe.program.set_shortcut(gf::DiagonalSums(kernels, shape.alpha, shape.k, addend));
  return recipe;
}

}  // namespace parapet::codec
