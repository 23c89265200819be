// What a code is good at and bad at, in numbers.
#pragma once

#include <cstddef>
#include <vector>

#include "front/cli/loss_survey.h"
#include "parapet/codec.h"

namespace parapet::front {

/// Means over some chunks of what the repair of each alone costs.
struct RepairMean {
  double chunks = 0;   ///< Bytes read, in chunks.
  double devices = 0;  ///< Chunks read from.
};

struct CodeFacts {
  Code code;
  std::size_t chunk_size_min = 0;  ///< Of shards: every sub-chunk has whole blocks.
  std::vector<LossSurvey> beyond;  ///< One and two losses more than the tolerance, as far as at most m are lost.
  std::vector<PlanCost> repairs;   ///< Of each chunk when it alone is lost and has `chunk_size_min` bytes.
  double update_chunks = 0;        ///< Chunks that an update of one data chunk touches, itself among them; the mean.

  /// Bytes read by one of `repairs`, in chunks.
  [[nodiscard]] double chunks_read(const PlanCost& cost) const {
    return static_cast<double>(cost.bytes) / static_cast<double>(chunk_size_min);
  }
  [[nodiscard]] double overhead() const { return static_cast<double>(code.m()) / code.k(); }
  [[nodiscard]] RepairMean data_repair() const { return mean(0, code.k()); }
  [[nodiscard]] RepairMean parity_repair() const { return mean(code.k(), code.n()); }

 private:
  [[nodiscard]] RepairMean mean(unsigned first, unsigned last) const;
};

Result<CodeFacts> facts_of(const Code& code);

}  // namespace parapet::front
