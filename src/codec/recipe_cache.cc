#include "codec/recipe_cache.h"

namespace parapet::codec {

std::size_t RecipeCache::Hash::operator()(const RepairTask& key) const {
  std::uint64_t hash = (std::uint64_t{key.subs.first} << 32) | key.subs.last;
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  };
  for (const std::uint64_t word : key.available.words()) mix(word);
  for (const std::uint64_t word : key.wanted.words()) mix(word);
  mix(static_cast<std::uint64_t>(key.goal));
  return hash;
}

std::shared_ptr<const Recipe> RecipeCache::find(const RepairTask& key) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  order_.splice(order_.begin(), order_, found->second);
  return found->second->second;
}

void RecipeCache::insert(const RepairTask& key, std::shared_ptr<const Recipe> recipe) {
  const std::lock_guard lock(mutex_);
  if (index_.contains(key)) return;
  bytes_ += recipe->memory_bytes();
  order_.emplace_front(key, std::move(recipe));
  index_.emplace(key, order_.begin());
  while (bytes_ > capacity_bytes_ && order_.size() > 1) {
    bytes_ -= order_.back().second->memory_bytes();
    index_.erase(order_.back().first);
    order_.pop_back();
  }
}

std::size_t RecipeCache::size() const {
  const std::lock_guard lock(mutex_);
  return order_.size();
}

}  // namespace parapet::codec
