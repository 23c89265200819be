// A program of region products and sums: how some regions are computed from others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "gf/diagonal_sums.h"
#include "gf/product.h"
#include "gf/xor_rows.h"

namespace parapet::codec {

/// A region that a program reads or writes.
using Operand = std::uint32_t;

/// How many regions of each kind a program has. Their numbers: inputs, then outputs, then temporaries.
struct OperandCounts {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::size_t temporaries = 0;
  [[nodiscard]] std::size_t whole() const { return inputs + outputs; }
  [[nodiscard]] std::size_t all() const { return inputs + outputs + temporaries; }
};

/// Steps over numbered regions of equal length. A step may read what earlier steps wrote. Built once, then immutable
/// and used by any number of threads.
class Program {
 public:
  Program(const gf::Kernels& kernels, const OperandCounts& counts)
      : kernels_(&kernels), counts_(counts), writer_(counts.all()) {}

  /// Adds the step that applies `product`, whose terms are operands, to `sources` and writes `targets`. Steps may share
  /// a product.
  void add_product(std::shared_ptr<const gf::Product> product, std::vector<Operand> sources,
                   std::vector<Operand> targets);

  /// Adds the step: target = XOR of the operands `terms`, at least one.
  void add_sum(Operand target, const std::vector<Operand>& terms);

  /// `sums`, with all inputs as cells, gives the same outputs as all steps together: it is run instead of them where
  /// the regions suit it.
  void set_shortcut(const gf::DiagonalSums& sums) { shortcut_ = sums; }

  /// inputs and outputs: regions of `length` bytes, as many as were declared; outputs overlap nothing else. No heap
  /// allocation for programs of usual size once the thread has run one.
  void run(const std::uint8_t* const* inputs, std::uint8_t* const* outputs, std::size_t length) const;

  [[nodiscard]] const OperandCounts& counts() const { return counts_; }
  /// About how much memory the program takes.
  [[nodiscard]] std::size_t memory_bytes() const { return memory_bytes_; }

 private:
  struct ProductStep {
    std::shared_ptr<const gf::Product> product;
    std::vector<Operand> sources;
    std::vector<Operand> targets;
    bool is_read_later;  // some target is an input of a later step
  };
  using Step = std::variant<ProductStep, gf::XorRows>;

  [[nodiscard]] std::size_t stretch_bytes(std::size_t length) const;
  void run_stretch(std::uint8_t* const* operands, std::size_t length, gf::Store store) const;
  void mark_written(Operand target);
  void mark_read(std::span<const Operand> operands);

  const gf::Kernels* kernels_;
  OperandCounts counts_;
  std::vector<Step> steps_;
  std::optional<gf::DiagonalSums> shortcut_;
  std::size_t memory_bytes_ = sizeof(Program);
  std::vector<std::size_t> writer_;  // by operand: the last step so far that writes it
};

}  // namespace parapet::codec
