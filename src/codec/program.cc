#include "codec/program.h"

#include <algorithm>

#include "base/aligned_buffer.h"
#include "base/stack_array.h"

namespace parapet::codec {

namespace {

// Most operands that need no heap: 256 chunks of two sub-chunks, and temporaries.
constexpr std::size_t operand_count_inline = 640;

// Steps follow each other stretch by stretch, so that what one reads or leaves is still in a near cache for the next.

// Of products. Shorter ones gain nothing, since page-aligned regions share few sets of a cache whatever their length,
// and from memory they lose: every stretch starts all its streams anew.
constexpr std::size_t product_stretch_bytes = std::size_t{32} << 10;

// Of sums, which load every source several times. In cache loads and stores bound them, and it hardly matters; from
// farther away shorter ones lose.
constexpr std::size_t sum_stretch_bytes = 2048;

// Temporaries should stay in the second cache.
constexpr std::size_t temporaries_bytes_max = std::size_t{256} << 10;
constexpr std::size_t line_bytes = 64;

/// The calling thread's memory for temporaries, at least `size` bytes. It only grows.
std::uint8_t* scratch(std::size_t size) {
  thread_local base::AlignedBuffer buffer;
  if (buffer.size() < size) buffer = base::AlignedBuffer(size);
  return buffer.data();  // NOLINT(clang-analyzer-cplusplus.NewDelete): it takes the old bytes, freed above, for these
}

}  // namespace

void Program::mark_written(Operand target) { writer_[target] = steps_.size() - 1; }

/// What is read must have been written; inputs have no writer.
void Program::mark_read(std::span<const Operand> operands) {
  for (const Operand operand : operands) {
    if (operand < counts_.inputs) continue;
    if (auto* const product = std::get_if<ProductStep>(&steps_[writer_[operand]])) product->is_read_later = true;
  }
}

void Program::add_product(std::shared_ptr<const gf::Product> product, std::vector<Operand> sources,
                          std::vector<Operand> targets) {
  mark_read(sources);
  mark_read(product->term_indices());
  memory_bytes_ += sizeof(Step) + (sources.size() + targets.size()) * sizeof(Operand);
  steps_.emplace_back(ProductStep{std::move(product), std::move(sources), std::move(targets), false});
  for (const Operand target : std::get<ProductStep>(steps_.back()).targets) mark_written(target);
}

void Program::add_sum(Operand target, const std::vector<Operand>& terms) {
  mark_read(terms);
  if (steps_.empty() || !std::holds_alternative<gf::XorRows>(steps_.back()))
    steps_.emplace_back(gf::XorRows(*kernels_));
  std::get<gf::XorRows>(steps_.back()).add_row(target, terms);
  mark_written(target);
  memory_bytes_ += (2 + terms.size()) * sizeof(Operand);
}

/// Bytes of each region that all steps go over before the next ones.
std::size_t Program::stretch_bytes(std::size_t length) const {
  if (steps_.size() == 1 && std::holds_alternative<ProductStep>(steps_[0])) return length;
  const bool has_products = std::any_of(steps_.begin(), steps_.end(),
                                        [](const Step& step) { return std::holds_alternative<ProductStep>(step); });
  std::size_t stretch = has_products ? product_stretch_bytes : sum_stretch_bytes;
  if (counts_.temporaries > 0)
    stretch = std::min(stretch,
                       std::max(temporaries_bytes_max / counts_.temporaries / line_bytes, std::size_t{1}) * line_bytes);
  return stretch;
}

void Program::run_stretch(std::uint8_t* const* operands, std::size_t length, gf::Store store) const {
  for (const Step& step : steps_) {
    if (const auto* sums = std::get_if<gf::XorRows>(&step)) {
      sums->run(operands, length);
      continue;
    }
    const auto& product = std::get<ProductStep>(step);
    base::StackArray<const std::uint8_t*, operand_count_inline> sources(product.sources.size());
    base::StackArray<std::uint8_t*, operand_count_inline> targets(product.targets.size());
    for (std::size_t j = 0; j < product.sources.size(); ++j) sources[j] = operands[product.sources[j]];
    for (std::size_t p = 0; p < product.targets.size(); ++p) targets[p] = operands[product.targets[p]];
    product.product->run(sources.data(), operands, targets.data(), length,
                         product.is_read_later ? gf::Store::cached : store);
  }
}

void Program::run(const std::uint8_t* const* inputs, std::uint8_t* const* outputs, std::size_t length) const {
  if (shortcut_ && shortcut_->suits(inputs)) return shortcut_->run(inputs, outputs, length);
  const gf::Store store = gf::store_for(counts_.whole() * length);
  const std::size_t stretch = stretch_bytes(length);
  std::uint8_t* temporaries = counts_.temporaries == 0 ? nullptr : scratch(counts_.temporaries * stretch);
  base::StackArray<std::uint8_t*, operand_count_inline> operands(counts_.all());
  for (std::size_t i = 0; i < counts_.temporaries; ++i) operands[counts_.whole() + i] = temporaries + i * stretch;
  for (std::size_t begin = 0; begin < length; begin += stretch) {
    // Inputs share the table with outputs; no step has an input as its target, so none is written.
    for (std::size_t i = 0; i < counts_.inputs; ++i) operands[i] = const_cast<std::uint8_t*>(inputs[i]) + begin;
    for (std::size_t i = 0; i < counts_.outputs; ++i) operands[counts_.inputs + i] = outputs[i] + begin;
    run_stretch(operands.data(), std::min(stretch, length - begin), store);
  }
}

}  // namespace parapet::codec
