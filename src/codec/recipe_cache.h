// Recipes by erasure pattern.
//
// Invariants:
//  1. `order_` holds every cached entry once, the most recently used first; `index_` finds each by its key.
//  2. `bytes_` is what all entries take together; it is at most `capacity_bytes_`, or there is one entry only. The
//  least
//     recently used one goes first.
//  3. A recipe that was handed out stays valid as long as its shared pointer lives, cached or not.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "codec/recipe.h"
#include "codec/repair_task.h"

namespace parapet::codec {

/// Bounded, least recently used out first. Any number of threads.
class RecipeCache {
 public:
  explicit RecipeCache(std::size_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  /// Null when it is not there. No heap allocation.
  std::shared_ptr<const Recipe> find(const RepairTask& key);
  void insert(const RepairTask& key, std::shared_ptr<const Recipe> recipe);
  [[nodiscard]] std::size_t size() const;

 private:
  struct Hash {
    std::size_t operator()(const RepairTask& key) const;
  };
  using Entry = std::pair<RepairTask, std::shared_ptr<const Recipe>>;

  const std::size_t capacity_bytes_;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::list<Entry> order_;
  std::unordered_map<RepairTask, std::list<Entry>::iterator, Hash> index_;
};

}  // namespace parapet::codec
