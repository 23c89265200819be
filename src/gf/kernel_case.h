// For tests: one call of a kernel on guarded memory, compared with the reference.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/guarded_buffer.h"
#include "base/prng.h"
#include "gf/reference.h"

namespace parapet::gf {

/// One of the three functions of `Kernels`.
struct KernelFunction {
  const char* name;
  void (*Kernels::*function)(const Pass&);
  bool is_add_product;
};

inline constexpr KernelFunction kernel_functions[] = {
    {"product", &Kernels::product, false},
    {"product_streaming", &Kernels::product_streaming, false},
    {"add_product", &Kernels::add_product, true},
};

/// Where regions lie: against the guard page before or behind them, or somewhere between.
enum class Place : std::uint8_t { front, back, between };

struct KernelShape {
  std::size_t row_count = 1;
  std::size_t source_count = 1;
  std::size_t begin = 0;
  std::size_t length = 0;
  bool accumulate = false;
  bool has_terms = false;
  Place place = Place::back;
  std::size_t misalignment = 0;  // of byte `begin` of the first region, for `between`
  std::size_t stagger = 0;       // by how much more each further region is misaligned

  [[nodiscard]] std::string text() const {
    static constexpr const char* places[] = {"front", "back", "between"};
    return std::to_string(row_count) + " rows, " + std::to_string(source_count) + " sources, begin " +
           std::to_string(begin) + ", length " + std::to_string(length) + (accumulate ? ", accumulate" : "") +
           (has_terms ? ", terms" : "") + ", " + places[static_cast<int>(place)] + ", misalignment " +
           std::to_string(misalignment) + "+" + std::to_string(stagger);
  }
};

/// Memory for the regions of one case, used again by the next.
class KernelRegions {
 public:
  static constexpr std::size_t count = 32;

  explicit KernelRegions(std::size_t length_max) {
    for (std::size_t i = 0; i < count; ++i) buffers_.push_back(std::make_unique<base::GuardedBuffer>(length_max + 256));
  }

  /// Where byte `begin` of region `index` lies.
  [[nodiscard]] std::uint8_t* place(std::size_t index, const KernelShape& shape) const {
    const base::GuardedBuffer& buffer = *buffers_[index];
    switch (shape.place) {
      case Place::front:
        return buffer.begin();
      case Place::back:
        return buffer.end() - shape.length;
      case Place::between:
        break;
    }
    return buffer.begin() + 64 + (shape.misalignment + index * shape.stagger) % 64;
  }

  /// The bytes of region `index` and up to 64 on both sides.
  [[nodiscard]] std::vector<std::uint8_t> surroundings(std::size_t index, const KernelShape& shape) const {
    const base::GuardedBuffer& buffer = *buffers_[index];
    const std::uint8_t* const at = place(index, shape);
    return {at - std::min<std::ptrdiff_t>(64, at - buffer.begin()),
            at + shape.length + std::min<std::ptrdiff_t>(64, buffer.end() - at - std::ptrdiff_t(shape.length))};
  }
  /// Puts `bytes` where `surroundings` took them.
  void restore(std::size_t index, const KernelShape& shape, const std::vector<std::uint8_t>& bytes) const {
    std::uint8_t* const at = place(index, shape);
    std::copy(bytes.begin(), bytes.end(), at - std::min<std::ptrdiff_t>(64, at - buffers_[index]->begin()));
  }

 private:
  std::vector<std::unique_ptr<base::GuardedBuffer>> buffers_;
};

/// A pass over random data. Its shape is the one asked for, but that `add_product` takes one or two sources only.
class KernelCase {
 public:
  static constexpr std::size_t source_count_max = 20;
  static constexpr std::size_t term_region_count = 4;

  KernelCase(const KernelRegions& regions, const KernelShape& shape, base::Prng& prng)
      : regions_(regions),
        shape_(shape),
        coefficients_(std::max<std::size_t>(1, shape.source_count) * shape.row_count) {
    prng.fill(coefficients_.data(), coefficients_.size());
    for (std::uint8_t& coefficient : coefficients_)
      if (prng.below(8) == 0) coefficient = static_cast<std::uint8_t>(prng.below(2));
    for (std::size_t j = 0; j < shape.source_count; ++j) sources_.push_back(make_region(prng));
    for (std::size_t t = 0; t < term_region_count; ++t) terms_.push_back(make_region(prng));
    for (std::size_t p = 0; p < shape.row_count; ++p) {
      outputs_.push_back(const_cast<std::uint8_t*>(make_region(prng)));
      for (std::uint64_t t = prng.below(prng.below(4) == 0 ? 12 : 4); t > 0; --t)
        term_indices_.push_back(static_cast<std::uint32_t>(prng.below(term_region_count)));
      terms_end_.push_back(static_cast<std::uint32_t>(term_indices_.size()));
    }
    for (std::size_t i = 0; i < region_count_; ++i) before_.push_back(regions_.surroundings(i, shape_));
  }

  /// Runs one function of one implementation. Returns what went wrong, or nothing.
  [[nodiscard]] std::string run(const Kernels& kernels, const KernelFunction& function) {
    const bool is_add = function.is_add_product;
    if (is_add && (shape_.source_count == 0 || shape_.source_count > 2)) return {};
    const std::size_t column_count = is_add ? 1 : shape_.source_count;
    // On the heap, exactly as large as needed and not aligned: tables have no place of their own.
    const auto tables = std::make_unique<std::uint8_t[]>(1 + column_count * shape_.row_count * kernels.table_size);
    for (std::size_t c = 0; c < column_count * shape_.row_count; ++c)
      kernels.prepare(coefficients_[c], tables.get() + 1 + c * kernels.table_size);
    for (std::size_t i = 0; i < region_count_; ++i) regions_.restore(i, shape_, before_[i]);
    const Pass pass = make_pass(tables.get() + 1, is_add);
    const auto& expected = is_add ? expected_add_ : expected_product_;
    if (expected.empty()) compute_expected(pass, is_add);
    (kernels.*function.function)(pass);
    return difference(expected, std::string(kernels.name) + " " + function.name + ": " + shape_.text());
  }

 private:
  const std::uint8_t* make_region(base::Prng& prng) {
    std::uint8_t* const at = regions_.place(region_count_, shape_);
    const std::size_t around = shape_.place == Place::between ? 64 : 0;
    prng.fill(at - around, shape_.length + 2 * around);
    ++region_count_;
    return at - shape_.begin;
  }

  [[nodiscard]] Pass make_pass(const std::uint8_t* tables, bool is_add) const {
    const bool has_terms = shape_.has_terms && !is_add;
    return {.tables = tables,
            .sources = sources_.data(),
            .source_count = shape_.source_count,
            .terms = has_terms ? terms_.data() : nullptr,
            .term_indices = has_terms ? term_indices_.data() : nullptr,
            .terms_end = has_terms ? terms_end_.data() : nullptr,
            .outputs = outputs_.data(),
            .row_count = shape_.row_count,
            .begin = shape_.begin,
            .end = shape_.begin + shape_.length,
            .accumulate = shape_.accumulate || is_add};
  }

  /// The surroundings of all regions as they must be after the pass; before it, outputs hold what is accumulated to.
  void compute_expected(const Pass& pass, bool is_add) {
    auto& expected = is_add ? expected_add_ : expected_product_;
    expected = before_;
    for (std::size_t p = 0; p < shape_.row_count; ++p) {
      const std::size_t region = shape_.source_count + term_region_count + p;
      const auto row =
          is_add ? reference::add_product_row(pass, coefficients_, p) : reference::product_row(pass, coefficients_, p);
      const std::size_t bytes_before = shape_.place == Place::front ? 0 : 64;
      std::copy(row.begin(), row.end(), expected[region].begin() + static_cast<std::ptrdiff_t>(bytes_before));
    }
  }

  [[nodiscard]] std::string difference(const std::vector<std::vector<std::uint8_t>>& expected,
                                       const std::string& what) const {
    for (std::size_t i = 0; i < region_count_; ++i) {
      const auto found = regions_.surroundings(i, shape_);
      const auto [at, _] = std::mismatch(found.begin(), found.end(), expected[i].begin());
      if (at == found.end()) continue;
      const auto position = at - found.begin() - (shape_.place == Place::front ? 0 : 64);
      const bool is_output = i >= shape_.source_count + term_region_count;
      return what + (is_output ? ": output " : ": not an output, but changed: region ") +
             std::to_string(is_output ? i - shape_.source_count - term_region_count : i) + " differs at " +
             std::to_string(position) + " of " + std::to_string(shape_.length);
    }
    return {};
  }

  const KernelRegions& regions_;
  KernelShape shape_;
  std::vector<std::uint8_t> coefficients_;
  std::size_t region_count_ = 0;
  std::vector<const std::uint8_t*> sources_;
  std::vector<const std::uint8_t*> terms_;
  std::vector<std::uint8_t*> outputs_;
  std::vector<std::uint32_t> term_indices_;
  std::vector<std::uint32_t> terms_end_;
  std::vector<std::vector<std::uint8_t>> before_;
  std::vector<std::vector<std::uint8_t>> expected_product_;
  std::vector<std::vector<std::uint8_t>> expected_add_;
};

}  // namespace parapet::gf
