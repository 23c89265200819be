#include "bench/stripe.h"

#include <algorithm>

#include "base/prng.h"

namespace parapet::bench {
namespace {

constexpr std::size_t page_size = 4096;
constexpr std::size_t stagger_bytes = 192;

std::size_t chunk_stride(std::size_t chunk_size, Layout layout) {
  return chunk_size + (layout == Layout::staggered ? stagger_bytes : 0);
}

std::size_t output_count(Shape shape) { return std::max(shape.k, shape.m); }

std::size_t stripe_stride(Shape shape, std::size_t chunk_size, Layout layout) {
  const std::size_t bytes = (shape.n() + output_count(shape)) * chunk_stride(chunk_size, layout);
  return (bytes + page_size - 1) / page_size * page_size;
}

Stripe stripe_at(std::uint8_t* base, Shape shape, std::size_t chunk_size, Layout layout) {
  Stripe stripe{.shape = shape, .chunk_size = chunk_size, .chunks = {}, .outputs = {}};
  std::uint8_t* next = base;
  const auto take = [&](std::size_t count, std::vector<std::uint8_t*>& into) {
    for (std::size_t i = 0; i < count; ++i, next += chunk_stride(chunk_size, layout)) into.push_back(next);
  };
  take(shape.n(), stripe.chunks);
  take(output_count(shape), stripe.outputs);
  return stripe;
}

}  // namespace

std::string_view name_of(Layout layout) { return layout == Layout::contiguous ? "contiguous" : "staggered"; }

std::vector<ConstRegion> Stripe::data() const {
  std::vector<ConstRegion> regions;
  for (unsigned i = 0; i < shape.k; ++i) regions.emplace_back(chunks[i], chunk_size);
  return regions;
}

std::vector<Region> Stripe::parity() const {
  std::vector<Region> regions;
  for (unsigned i = shape.k; i < shape.n(); ++i) regions.emplace_back(chunks[i], chunk_size);
  return regions;
}

std::vector<Stripe> Arena::lay_out(Shape shape, std::size_t chunk_size, Layout layout, std::size_t count) {
  const std::size_t stride = stripe_stride(shape, chunk_size, layout);
  if (bytes_.size() < count * stride) {
    bytes_ = base::AlignedBuffer(0);  // Frees first, so that never both are held.
    bytes_ = base::AlignedBuffer(count * stride, page_size);
    base::Prng(1).fill(bytes_.data(), bytes_.size());
  }
  std::vector<Stripe> stripes;
  for (std::size_t i = 0; i < count; ++i)
    stripes.push_back(stripe_at(bytes_.data() + i * stride, shape, chunk_size, layout));
  return stripes;
}

std::size_t stripes_beyond(std::size_t footprint_bytes, Shape shape, std::size_t chunk_size) {
  return footprint_bytes / (shape.n() * chunk_size) + 1;
}

}  // namespace parapet::bench
