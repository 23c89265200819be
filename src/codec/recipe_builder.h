// Collects what a recipe reads and writes before its program can be numbered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "codec/recipe.h"

namespace parapet::codec {

/// First phase: name reads and outputs, in any order, repeatedly. Second: `start`, then add steps by sub-chunk.
class RecipeBuilder {
 public:
  void read(SubChunk source) { reads_.push_back(source); }
  void output(SubChunk target) { outputs_.push_back(target); }

  /// The recipe without steps. From here on `operand` finds the numbers.
  Recipe start(const gf::Kernels& kernels) {
    sort_unique(reads_);
    sort_unique(outputs_);
    return {reads_, outputs_, Program(kernels, reads_.size(), outputs_.size())};
  }

  /// The operand of a sub-chunk that is read or put out.
  [[nodiscard]] Operand operand(const Program& program, SubChunk sub_chunk) const {
    const auto read = std::lower_bound(reads_.begin(), reads_.end(), sub_chunk);
    if (read != reads_.end() && *read == sub_chunk)
      return program.input(static_cast<std::size_t>(read - reads_.begin()));
    const auto output = std::lower_bound(outputs_.begin(), outputs_.end(), sub_chunk);
    PARAPET_ASSERT(output != outputs_.end() && *output == sub_chunk);
    return program.output(static_cast<std::size_t>(output - outputs_.begin()));
  }

 private:
  static void sort_unique(std::vector<SubChunk>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  std::vector<SubChunk> reads_;
  std::vector<SubChunk> outputs_;
};

}  // namespace parapet::codec
