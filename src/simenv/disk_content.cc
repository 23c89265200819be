#include "simenv/disk_content.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace parapet::simenv {

std::span<const std::uint8_t> DiskContent::Write::sector(std::size_t index) const {
  return std::span(bytes).subspan(index * sector_size, sector_size);
}

DiskContent::WriteId DiskContent::begin_write(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  under_way_.push_back(
      {++last_id_, offset, {bytes.begin(), bytes.end()}, std::vector<bool>(bytes.size() / sector_size, false)});
  return last_id_;
}

void DiskContent::finish_write(WriteId id) { add_done(take_under_way(id)); }

void DiskContent::finish_durable_write(WriteId id) {
  const Write write = take_under_way(id);
  supersede(write);
  apply(write, visible_);
  apply(write, durable_);
}

void DiskContent::tear_write(WriteId id, base::Prng& prng) {
  Write write = take_under_way(id);
  for (std::size_t i = 0; i < write.sector_count(); ++i) write.superseded[i] = prng.below(2) == 0;
  add_done(std::move(write));
}

DiskContent::Write DiskContent::take_under_way(WriteId id) {
  const auto found = std::find_if(under_way_.begin(), under_way_.end(), [&](const Write& w) { return w.id == id; });
  PARAPET_ASSERT(found != under_way_.end());
  Write write = std::move(*found);
  under_way_.erase(found);
  return write;
}

void DiskContent::add_done(Write write) {
  write.done_at = ++last_done_;
  apply(write, visible_);
  done_.push_back(std::move(write));
}

void DiskContent::supersede(const Write& by) {
  for (Write& write : done_)
    for (std::size_t i = 0; i < write.sector_count(); ++i)
      if (by.covers(write.offset + i * sector_size)) write.superseded[i] = true;
}

// In runs of sectors, since most writes are whole.
void DiskContent::apply(const Write& write, SparsePages& to) {
  for (std::size_t first = 0; first < write.sector_count();) {
    std::size_t end = first;
    while (end < write.sector_count() && !write.superseded[end]) ++end;
    to.write(write.offset + first * sector_size,
             std::span(write.bytes).subspan(first * sector_size, (end - first) * sector_size));
    first = end + 1;
  }
}

void DiskContent::finish_flush(FlushMark mark) {
  const auto covered_end =
      std::find_if(done_.begin(), done_.end(), [&](const Write& write) { return write.done_at > mark; });
  for (auto write = done_.begin(); write != covered_end; ++write) apply(*write, durable_);
  done_.erase(done_.begin(), covered_end);
}

void DiskContent::fail_flush(FlushMark mark, base::Prng& prng) {
  std::erase_if(done_, [&](const Write& write) { return write.done_at <= mark && prng.below(2) == 0; });
}

void DiskContent::read(std::uint64_t offset, std::span<std::uint8_t> into, base::Prng& prng) const {
  visible_.read(offset, into);
  for (const Write& write : under_way_) {
    if (write.offset >= offset + into.size() || offset >= write.offset + write.bytes.size()) continue;
    for (std::size_t i = 0; i < into.size(); i += sector_size)
      if (write.covers(offset + i) && prng.below(2) == 0)
        std::ranges::copy(write.sector((offset + i - write.offset) / sector_size), into.begin() + i);
  }
}

void DiskContent::flip_bit(std::uint64_t offset, unsigned bit) {
  const auto flip = [&](SparsePages& pages) {
    std::uint8_t byte = 0;
    pages.read(offset, {&byte, 1});
    byte = static_cast<std::uint8_t>(byte ^ (1U << bit));
    pages.write(offset, {&byte, 1});
  };
  flip(durable_);
  const bool covered = std::any_of(done_.begin(), done_.end(), [&](const Write& write) {
    return write.covers(offset) && !write.superseded[(offset - write.offset) / sector_size];
  });
  if (!covered) flip(visible_);
}

std::vector<UnflushedWrite> DiskContent::unflushed() const {
  std::vector<UnflushedWrite> result;
  for (const std::vector<Write>* const writes : {&done_, &under_way_})
    for (const Write& write : *writes) result.push_back({write.offset, write.bytes.size()});
  return result;
}

void DiskContent::lose_power(const KeepSector& keep) {
  std::size_t index = 0;
  for (std::vector<Write>* const writes : {&done_, &under_way_})
    for (Write& write : *writes) {
      for (std::size_t i = 0; i < write.sector_count(); ++i)
        if (!keep(index, i)) write.superseded[i] = true;
      apply(write, durable_);
      ++index;
    }
  restore(SparsePages(durable_));
}

void DiskContent::restore(const SparsePages& durable) {
  durable_ = durable;
  visible_ = durable;
  done_.clear();
  under_way_.clear();
}

}  // namespace parapet::simenv
