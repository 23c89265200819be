// Recipes from a code's checks: what all families get for nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codec/linear_map.h"
#include "codec/recipe.h"
#include "codec/repair_task.h"

namespace parapet::codec {

/// The cheapest repair that `choose_checks` finds. Nothing when what is wanted does not follow from what is available.
std::optional<Recipe> make_check_recipe(const LinearMap& map, const Shape& shape, const RepairTask& task,
                                        const gf::Kernels& kernels);

/// All parity from all data, by the checks that define it.
Recipe make_check_encoder(const LinearMap& map, const Shape& shape, const gf::Kernels& kernels);

}  // namespace parapet::codec
