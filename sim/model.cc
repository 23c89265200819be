#include "sim/model.h"

#include <algorithm>

#include <fmt/format.h>

namespace parapet::sim {
namespace {

constexpr std::size_t block_size = 4096;

}  // namespace

SegmentModel::SegmentModel(std::size_t size) : size_(size), blocks_(size / block_size) {
  for (auto& versions : blocks_) versions.push_back({Bytes(block_size), 0});
}

Bytes SegmentModel::bytes(std::size_t offset, std::size_t length) const {
  Bytes result(length);
  for (std::size_t i = 0; i < length;) {
    const std::size_t within = (offset + i) % block_size;
    const std::size_t size = std::min(block_size - within, length - i);
    const Bytes& block = blocks_[(offset + i) / block_size].back().bytes;
    std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(within), size,
                result.begin() + static_cast<std::ptrdiff_t>(i));
    i += size;
  }
  return result;
}

void SegmentModel::begin_write(std::size_t offset, std::span<const std::uint8_t> bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t within = (offset + i) % block_size;
    const std::size_t size = std::min(block_size - within, bytes.size() - i);
    auto& versions = blocks_[(offset + i) / block_size];
    Bytes next = versions.back().bytes;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(i), size,
                next.begin() + static_cast<std::ptrdiff_t>(within));
    versions.push_back({std::move(next)});
    i += size;
  }
}

void SegmentModel::end_write(std::size_t offset, std::size_t length, Moment moment) {
  for (std::size_t block = offset / block_size; block <= (offset + length - 1) / block_size; ++block)
    blocks_[block].back().done = moment;
}

void SegmentModel::flushed(Moment moment) {
  for (auto& versions : blocks_) {
    std::size_t last = 0;
    for (std::size_t i = 0; i < versions.size(); ++i)
      if (versions[i].done <= moment) last = i;
    versions.erase(versions.begin(), versions.begin() + static_cast<std::ptrdiff_t>(last));
  }
}

std::optional<std::string> SegmentModel::settle(std::span<const std::uint8_t> bytes) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    auto& versions = blocks_[i];
    const auto is = bytes.subspan(i * block_size, block_size);
    const auto found =
        std::ranges::find_if(versions, [&](const Version& v) { return std::ranges::equal(v.bytes, is); });
    if (found == versions.end())
      return fmt::format(
          "block {} is none of its {} versions since the last flush (it begins {:02x}{:02x}{:02x}{:02x})", i,
          versions.size(), is[0], is[1], is[2], is[3]);
    Version truth = std::move(*found);
    truth.done = 0;
    versions.clear();
    versions.push_back(std::move(truth));
  }
  return std::nullopt;
}

}  // namespace parapet::sim
