#include "codec/code_impl.h"

namespace parapet::codec {

namespace {
// All single and double losses of n = 32, and some; a recipe of (12,4) takes about a kilobyte.
constexpr std::size_t recipe_cache_capacity = 1024;
}  // namespace

CodeImpl::CodeImpl(std::string text, const Shape& shape, gf::Matrix generator, const gf::Kernels& kernels,
                   Program encoder)
    : text_(std::move(text)),
      shape_(shape),
      kernels_(&kernels),
      generator_(std::move(generator)),
      deltas_(kernels, generator_, shape.alpha),
      encoder_(std::move(encoder)),
      cache_(recipe_cache_capacity) {}

bool CodeImpl::decodable(const ChunkSet& available) const {
  return (available & ChunkSet::range(0, shape_.n())).count() >= shape_.k;
}

Result<std::shared_ptr<const Recipe>> CodeImpl::recipe(const RecipeKey& key) const {
  if (auto cached = cache_.find(key)) return cached;
  auto made = make_recipe(key);
  if (!made)
    return Error{ErrorCode::too_many_losses,
                 "reconstruct",
                 "{} of {} chunks are available and do not determine the wanted ones; {} are needed",
                 {key.available.count(), shape_.n(), shape_.k}};
  auto recipe = std::make_shared<const Recipe>(std::move(*made));
  cache_.insert(key, recipe);
  return recipe;
}

}  // namespace parapet::codec
