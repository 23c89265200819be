// Which of a code's checks a repair should use, so that it reads least.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codec/linear_map.h"
#include "codec/repair_task.h"

namespace parapet::codec {

/// Rows of `map.checks` whose span determines what is wanted from what is `available`, and without any of which it
/// would not.
struct CheckChoice {
  ChunkSet available;  ///< What may be read: the task's, perhaps without parity chunks that are cheaper to do without.
  std::vector<std::uint32_t> checks;
};

/// A cheap choice; nothing when all checks together do not determine what is wanted.
///
/// A check is an equation between sub-chunks: using it means reading all of it that is available. So the cost of a set
/// of checks is the size of a union, and finding the cheapest set is hard in general (Khan et al., "Rethinking erasure
/// codes for cloud file systems", FAST 2012, who search all of them). Here: all sets where there are few checks;
/// elsewhere local search from several starts, exchanging one check for another as long as that pays. The result is
/// always valid and never costs more than taking the first checks that do; tests hold it against known optima.
std::optional<CheckChoice> choose_checks(const LinearMap& map, const Shape& shape, const RepairTask& task);

}  // namespace parapet::codec
