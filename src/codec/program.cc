#include "codec/program.h"

#include <algorithm>

#include "base/aligned_buffer.h"
#include "base/stack_array.h"

namespace parapet::codec {

namespace {

// Most operands that need no heap: 256 chunks of two sub-chunks, and temporaries.
constexpr std::size_t operand_count_inline = 640;

// Steps follow each other stretch by stretch, so that what one reads or leaves is still in a near cache for the next.
// Shorter ones gain nothing, since page-aligned regions share few sets of a cache whatever their length, and from
// memory they lose: every stretch starts all its streams anew.
constexpr std::size_t stretch_bytes = std::size_t{32} << 10;

/// The calling thread's memory for temporaries, at least `size` bytes. It only grows.
std::uint8_t* scratch(std::size_t size) {
  thread_local base::AlignedBuffer buffer;
  if (buffer.size() < size) buffer = base::AlignedBuffer(size);
  return buffer.data();  // NOLINT(clang-analyzer-cplusplus.NewDelete): it takes the old bytes, freed above, for these
}

}  // namespace

void Program::mark_read(std::span<const Operand> operands) {
  for (Step& step : steps_)
    for (const Operand target : step.targets)
      if (std::find(operands.begin(), operands.end(), target) != operands.end()) step.is_read_later = true;
}

void Program::add_step(const gf::Matrix& coefficients, const std::vector<Operand>& sources,
                       const std::vector<Operand>& targets, const gf::Product::Terms& terms) {
  if (targets.empty()) return;
  mark_read(sources);
  for (const auto& row : terms) mark_read(row);
  steps_.push_back({gf::Product(*kernels_, coefficients, terms), sources, targets, false});
}

void Program::run_stretch(std::uint8_t* const* operands, std::size_t length, gf::Store store) const {
  for (const Step& step : steps_) {
    base::StackArray<const std::uint8_t*, operand_count_inline> sources(step.sources.size());
    base::StackArray<std::uint8_t*, operand_count_inline> targets(step.targets.size());
    for (std::size_t j = 0; j < step.sources.size(); ++j) sources[j] = operands[step.sources[j]];
    for (std::size_t p = 0; p < step.targets.size(); ++p) targets[p] = operands[step.targets[p]];
    step.product.run(sources.data(), operands, targets.data(), length, step.is_read_later ? gf::Store::cached : store);
  }
}

void Program::run(const std::uint8_t* const* inputs, std::uint8_t* const* outputs, std::size_t length) const {
  const std::size_t whole_count = input_count_ + output_count_;
  const std::size_t operand_count = whole_count + temporary_count_;
  const gf::Store store = gf::store_for(whole_count * length);
  const std::size_t step_bytes = steps_.size() == 1 ? length : stretch_bytes;
  std::uint8_t* temporaries = temporary_count_ == 0 ? nullptr : scratch(temporary_count_ * stretch_bytes);
  base::StackArray<std::uint8_t*, operand_count_inline> operands(operand_count);
  for (std::size_t begin = 0; begin < length; begin += step_bytes) {
    // Inputs share the table with outputs; no step has an input as its target, so none is written.
    for (std::size_t i = 0; i < input_count_; ++i) operands[i] = const_cast<std::uint8_t*>(inputs[i]) + begin;
    for (std::size_t i = 0; i < output_count_; ++i) operands[input_count_ + i] = outputs[i] + begin;
    for (std::size_t i = 0; i < temporary_count_; ++i) operands[whole_count + i] = temporaries + i * stretch_bytes;
    run_stretch(operands.data(), std::min(step_bytes, length - begin), store);
  }
}

}  // namespace parapet::codec
