// For tests: stripes of random chunks and the regions that name them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "codec/oracle/oracle.h"
#include "parapet/codec.h"

namespace parapet::codec {

/// The code under test. Its text must be right.
inline Code parse(const std::string& text) {
  auto code = Code::parse(text);
  if (!code) ADD_FAILURE() << text << ": " << code.error().message();
  return std::move(code).value();
}

/// Not inlined: with a constant size GCC 12 takes the empty case for an overflow.
[[gnu::noinline]] inline Bytes random_bytes(base::Prng& prng, std::size_t size) {
  Bytes bytes(size);
  prng.fill(bytes.data(), size);
  return bytes;
}

inline std::vector<Bytes> random_chunks(base::Prng& prng, std::size_t count, std::size_t chunk_size) {
  std::vector<Bytes> chunks;
  for (std::size_t i = 0; i < count; ++i) chunks.push_back(random_bytes(prng, chunk_size));
  return chunks;
}

/// Random data with the oracle's parity: n chunks.
inline std::vector<Bytes> random_stripe(const Oracle& oracle, base::Prng& prng, std::size_t chunk_size) {
  return oracle.encode(random_chunks(prng, oracle.k(), chunk_size));
}

/// The smallest legal chunk size of at least `size` bytes.
inline std::size_t chunk_size_from(const Oracle& oracle, std::size_t size) {
  const std::size_t multiple = oracle.chunk_size_multiple();
  return (size + multiple - 1) / multiple * multiple;
}

/// A legal chunk size, small most of the time.
inline std::size_t random_chunk_size(const Oracle& oracle, base::Prng& prng) {
  const std::size_t multiple = oracle.chunk_size_multiple();
  return multiple * (1 + prng.below(2 + (prng.below(4) == 0 ? 600 : 80) / multiple));
}

inline std::vector<ConstRegion> const_regions(const std::vector<Bytes>& chunks) {
  std::vector<ConstRegion> result;
  for (const Bytes& chunk : chunks) result.emplace_back(chunk.data(), chunk.size());
  return result;
}

inline std::vector<Region> regions(std::vector<Bytes>& chunks) {
  std::vector<Region> result;
  for (Bytes& chunk : chunks) result.emplace_back(chunk.data(), chunk.size());
  return result;
}

/// All chunks, those outside `available` null.
inline std::vector<ConstRegion> const_regions(const std::vector<Bytes>& chunks, const ChunkSet& available) {
  auto result = const_regions(chunks);
  for (unsigned i = 0; i < result.size(); ++i)
    if (!available.contains(i)) result[i] = ConstRegion();
  return result;
}

inline std::vector<Bytes> data_of(const Oracle& oracle, const std::vector<Bytes>& stripe) {
  return {stripe.begin(), stripe.begin() + oracle.k()};
}

inline std::vector<Bytes> parity_of(const Oracle& oracle, const std::vector<Bytes>& stripe) {
  return {stripe.begin() + oracle.k(), stripe.end()};
}

inline ChunkSet all_chunks(const Oracle& oracle) { return ChunkSet::range(0, oracle.n()); }

/// `count` distinct chunks of `from`, which has at least as many.
inline ChunkSet random_subset(base::Prng& prng, const ChunkSet& from, std::size_t count) {
  std::vector<unsigned> rest(from.begin(), from.end());
  ChunkSet result;
  for (; count > 0; --count) {
    const auto at = static_cast<std::ptrdiff_t>(prng.below(rest.size()));
    result.insert(rest[static_cast<std::size_t>(at)]);
    rest.erase(rest.begin() + at);
  }
  return result;
}

/// Calls check(lost) for every decodable loss of 1..m chunks.
template <class Check>
void for_each_loss(const Oracle& oracle, Check check) {
  for (unsigned bits = 1; bits < 1u << oracle.n(); ++bits) {
    ChunkSet lost;
    for (unsigned i = 0; i < oracle.n(); ++i)
      if ((bits >> i & 1) != 0) lost.insert(i);
    if (lost.count() > oracle.m()) continue;
    if (!oracle.is_mds() && !oracle.decodable(all_chunks(oracle) - lost)) continue;
    check(lost);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// A decodable loss of `count` chunks, or of fewer where `count` at random cannot be decoded.
inline ChunkSet random_loss(base::Prng& prng, const Oracle& oracle, std::size_t count) {
  ChunkSet lost = random_subset(prng, all_chunks(oracle), count);
  while (!oracle.is_mds() && !oracle.decodable(all_chunks(oracle) - lost)) lost.erase(*lost.begin());
  return lost;
}

inline std::string to_text(const ChunkSet& set) {
  std::string text;
  for (const unsigned chunk : set) text.append(text.empty() ? "{" : ",").append(std::to_string(chunk));
  return text.append(text.empty() ? "{}" : "}");
}

/// A code's text as the name of a test.
inline std::string test_name(const testing::TestParamInfo<const char*>& info) {
  std::string name;
  for (const char c : std::string(info.param))
    if (c != ')') name += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
  return name;
}

}  // namespace parapet::codec
