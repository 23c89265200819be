// Which expressions one product of a dense matrix should compute together.
#pragma once

#include <cstdint>
#include <vector>

#include "codec/solution.h"

namespace parapet::codec {

/// Expressions over shared sources. Columns in `multiplied` become columns of the matrix, loaded once for all rows;
/// the others occur with coefficient one only, in few rows, and are added as they are.
struct ExpressionGroup {
  std::vector<Expression> expressions;
  std::vector<std::uint32_t> multiplied;  // ascending
};

/// All expressions of the blocks, group by group; a group needs only groups before it. Expressions come together where
/// a dense product of them takes no more multiplications than apart, so that shared sources are loaded once; if need
/// be by writing the sum of an unknown in place of it.
std::vector<ExpressionGroup> group_expressions(const std::vector<SolvedBlock>& blocks);

}  // namespace parapet::codec
