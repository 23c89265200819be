#include "codec/delta_map.h"

#include <algorithm>

#include "base/stack_array.h"

namespace parapet::codec {

namespace {

constexpr std::size_t row_count_inline = 512;
constexpr std::size_t pick_count_inline = 2048;

/// Zero, then the elements of a matrix row by row.
std::vector<std::uint8_t> elements_of(const SparseMatrix& matrix) {
  std::vector<std::uint8_t> elements{0};
  for (std::size_t i = 0; i < matrix.row_count(); ++i)
    for (const Entry& entry : matrix.row(i)) elements.push_back(entry.coefficient);
  return elements;
}

}  // namespace

DeltaMap::DeltaMap(const gf::Kernels& kernels, const SparseMatrix& generator, unsigned alpha)
    : kernels_(&kernels),
      alpha_(alpha),
      row_count_(static_cast<std::uint32_t>(generator.row_count())),
      dependents_(generator.column_count()),
      coefficients_(kernels, elements_of(generator)) {
  std::uint32_t pick = pick_of_zero;
  for (std::uint32_t row = 0; row < generator.row_count(); ++row)
    for (const Entry& entry : generator.row(row))
      dependents_[entry.column].push_back({row, ++pick, entry.coefficient == 1});
}

std::uint8_t* DeltaMap::target(std::span<const Region> parity, std::uint32_t row, std::size_t round,
                               const Packets& packets) const {
  const Region& chunk = parity[row / alpha_];
  return chunk.data == nullptr ? nullptr : chunk.data + packets.offset(round, row % alpha_);
}

void DeltaMap::add_difference(std::size_t column, std::size_t round, std::size_t offset, const std::uint8_t* before,
                              const std::uint8_t* after, std::size_t length, std::span<const Region> parity,
                              const Packets& packets) const {
  const auto& candidates = dependents_[column];
  base::StackArray<std::uint32_t, row_count_inline> picks(candidates.size());
  base::StackArray<std::uint8_t*, row_count_inline> targets(candidates.size());
  std::size_t count = 0;
  bool only_ones = true;
  for (const Dependent& dependent : candidates) {
    std::uint8_t* const packet = target(parity, dependent.row, round, packets);
    if (packet == nullptr) continue;
    only_ones &= dependent.is_one;
    picks[count] = dependent.pick;
    targets[count++] = packet + offset;
  }
  if (!only_ones) return coefficients_.accumulate_difference(picks.first(count), before, after, targets.data(), length);
  const std::uint8_t* const terms[] = {before, after};
  constexpr std::uint32_t indices[] = {0, 1};
  const std::uint32_t term_count = after == nullptr ? 1 : 2;
  for (std::size_t i = 0; i < count; ++i)
    gf::accumulate_terms(*kernels_, terms, {indices, term_count}, {&term_count, 1}, &targets[i], length);
}

void DeltaMap::add_columns(std::span<const std::uint32_t> columns, std::size_t round, const std::uint8_t* const* deltas,
                           std::span<const Region> parity, const Packets& packets) const {
  // Each row is multiplied with the deltas, or these are only added to it where its coefficients are ones. The columns'
  // dependents are ascending rows, so each needs to be looked at once.
  const std::size_t column_count = columns.size();
  base::StackArray<const Dependent*, row_count_inline> next(column_count);
  base::StackArray<std::uint32_t, row_count_inline> terms(column_count);
  base::StackArray<std::uint32_t, pick_count_inline> picks(row_count_ * column_count);
  base::StackArray<std::uint8_t*, row_count_inline> targets(row_count_);
  std::size_t count = 0;
  for (std::size_t j = 0; j < column_count; ++j) next[j] = dependents_[columns[j]].data();
  for (std::uint32_t row = 0; row < row_count_; ++row) {
    std::uint32_t* const row_picks = picks.data() + count * column_count;
    std::uint32_t term_count = 0;
    bool only_ones = true;
    for (std::uint32_t j = 0; j < column_count; ++j) {
      const auto& dependents = dependents_[columns[j]];
      row_picks[j] = pick_of_zero;
      if (next[j] == dependents.data() + dependents.size() || next[j]->row != row) continue;
      row_picks[j] = next[j]->pick;
      only_ones &= next[j]++->is_one;
      terms[term_count++] = j;
    }
    std::uint8_t* packet = target(parity, row, round, packets);
    if (packet == nullptr || term_count == 0) continue;
    if (!only_ones)
      targets[count++] = packet;
    else
      gf::accumulate_terms(*kernels_, deltas, terms.first(term_count), {&term_count, 1}, &packet, packets.size());
  }
  coefficients_.accumulate(picks.first(count * column_count), count, column_count, deltas, targets.data(),
                           packets.size());
}

std::vector<std::uint32_t> DeltaMap::parities_of(unsigned chunk) const {
  std::vector<std::uint32_t> parities;
  for (std::uint32_t sub = 0; sub < alpha_; ++sub)
    for (const Dependent& dependent : dependents_[chunk * alpha_ + sub]) parities.push_back(dependent.row / alpha_);
  std::sort(parities.begin(), parities.end());
  parities.erase(std::unique(parities.begin(), parities.end()), parities.end());
  return parities;
}

}  // namespace parapet::codec
