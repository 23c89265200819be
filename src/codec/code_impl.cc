#include "codec/code_impl.h"

#include "codec/check_recipe.h"
#include "codec/tolerance.h"

namespace parapet::codec {

namespace {
// A recipe of rs(12,4) takes about a kilobyte, one of clay(12,4) about a megabyte.
constexpr std::size_t recipe_cache_bytes = std::size_t{64} << 20;
}  // namespace

CodeImpl::CodeImpl(std::string text, const Shape& shape, LinearMap map, const gf::Kernels& kernels)
    : CodeImpl(std::move(text), shape, map, kernels, make_check_encoder(map, shape, kernels)) {}

CodeImpl::CodeImpl(std::string text, const Shape& shape, LinearMap map, const gf::Kernels& kernels, Recipe encoder)
    : text_(std::move(text)),
      shape_(shape),
      kernels_(&kernels),
      map_(std::move(map)),
      deltas_(kernels, map_.generator, shape.alpha),
      encoder_(std::move(encoder)),
      cache_(recipe_cache_bytes) {}

bool CodeImpl::decodable(const ChunkSet& available) const {
  const ChunkSet lost = ChunkSet::range(0, shape_.n()) - available;
  if (lost.count() <= shape_.tolerance) return true;
  return shape_.tolerance < shape_.m && bears(map_.checks, shape_.alpha, lost);
}

std::optional<Recipe> CodeImpl::make_recipe(const RepairTask& task) const {
  return make_check_recipe(map_, shape_, task, *kernels_);
}

Result<std::shared_ptr<const Recipe>> CodeImpl::recipe(const RepairTask& task) const {
  if (auto cached = cache_.find(task)) return cached;
  auto made = make_recipe(task);
  if (!made)
    return Error{ErrorCode::too_many_losses,
                 "reconstruct",
                 "the {} available chunks of {} do not determine the wanted ones: bring others back",
                 {task.available.count(), shape_.n()}};
  auto recipe = std::make_shared<const Recipe>(std::move(*made));
  cache_.insert(task, recipe);
  return recipe;
}

}  // namespace parapet::codec
