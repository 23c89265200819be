#include "shard/damage_log.h"

#include <fmt/format.h>

namespace parapet::shard {

void DamageLog::add(unsigned index, Tally Damage::*kind, Place place) {
  const std::scoped_lock lock(mutex_);
  (damages_[index].*kind).add(place);
}

void DamageLog::add_block(unsigned index, std::uint64_t stripe, std::uint32_t block) {
  add(index, &Damage::blocks, {stripe, block});
}

void DamageLog::add_area(unsigned index, std::uint64_t stripe) { add(index, &Damage::areas, {stripe, 0}); }

void DamageLog::add_mismatch(unsigned index, std::uint64_t stripe) { add(index, &Damage::mismatches, {stripe, 0}); }

ChunkSet DamageLog::rotten() const {
  const std::scoped_lock lock(mutex_);
  ChunkSet indices;
  for (const auto& [index, damage] : damages_)
    if (damage.blocks.count + damage.areas.count > 0) indices.insert(index);
  return indices;
}

std::vector<Finding> DamageLog::findings(const ShardSet& set) const {
  const std::scoped_lock lock(mutex_);
  std::vector<Finding> found;
  for (const auto& [index, damage] : damages_) {
    const auto note = [&, shard = index](FindingKind kind, std::string text) {
      found.push_back({kind, set.shard(shard)->name, shard, std::move(text)});
    };
    const auto& [blocks, areas, mismatches] = damage;
    if (blocks.count > 0)
      note(FindingKind::rotten, fmt::format("{} bad block{}, the first is block {} of stripe {}", blocks.count,
                                            blocks.count == 1 ? "" : "s", blocks.first.second, blocks.first.first));
    if (areas.count > 0)
      note(FindingKind::rotten, fmt::format("{} bad checksum area{}, the first is that of stripe {}", areas.count,
                                            areas.count == 1 ? "" : "s", areas.first.first));
    if (mismatches.count > 0)
      note(FindingKind::parity_mismatch,
           fmt::format("it does not fit the data in {} stripe{}, the first is stripe {}", mismatches.count,
                       mismatches.count == 1 ? "" : "s", mismatches.first.first));
  }
  return found;
}

}  // namespace parapet::shard
