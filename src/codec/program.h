// A program of region products: how some regions are computed from others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gf/product.h"

namespace parapet::codec {

/// A region that a program reads or writes.
using Operand = std::uint32_t;

/// Steps over numbered regions of equal length: inputs, outputs and temporaries, in that order of numbers.
/// A step may read what earlier steps wrote. Built once, then immutable and used by any number of threads.
class Program {
 public:
  Program(const gf::Kernels& kernels, std::size_t input_count, std::size_t output_count)
      : kernels_(&kernels), input_count_(input_count), output_count_(output_count) {}

  [[nodiscard]] Operand input(std::size_t index) const { return static_cast<Operand>(index); }
  [[nodiscard]] Operand output(std::size_t index) const { return static_cast<Operand>(input_count_ + index); }
  Operand add_temporary() { return static_cast<Operand>(input_count_ + output_count_ + temporary_count_++); }

  /// Adds the step: targets[p] = sum over j of coefficients(p, j) * sources[j], XOR the operands of terms[p].
  /// terms: empty, or one list per target.
  void add_step(const gf::Matrix& coefficients, const std::vector<Operand>& sources,
                const std::vector<Operand>& targets, const gf::Product::Terms& terms = {});

  /// inputs and outputs: regions of `length` bytes, as many as were declared; outputs overlap nothing else. No heap
  /// allocation for programs of usual size once the thread has run one.
  void run(const std::uint8_t* const* inputs, std::uint8_t* const* outputs, std::size_t length) const;

 private:
  struct Step {
    gf::Product product;
    std::vector<Operand> sources;
    std::vector<Operand> targets;
    bool is_read_later;  // some target is an input of a later step
  };

  void run_stretch(std::uint8_t* const* operands, std::size_t length, gf::Store store) const;
  void mark_read(std::span<const Operand> operands);

  const gf::Kernels* kernels_;
  std::size_t input_count_;
  std::size_t output_count_;
  std::size_t temporary_count_ = 0;
  std::vector<Step> steps_;
};

}  // namespace parapet::codec
