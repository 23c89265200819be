// The families of codes beside Reed-Solomon of the same k and m, and beside Jerasure.
#pragma once

#include <vector>

#include "bench/report.h"
#include "bench/workbench.h"

namespace parapet::bench {

/// Encode of every family, repair of a data chunk, and, where it is loaded, Jerasure on its own codes.
Result<std::vector<Table>, Failure> family_tables(Workbench& workbench);

}  // namespace parapet::bench
