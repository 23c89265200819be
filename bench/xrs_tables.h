// RS and XRS side by side, in the four tables of the README of templexxx/xrs and counted as it counts.
#pragma once

#include <vector>

#include "bench/report.h"
#include "bench/workbench.h"

namespace parapet::bench {

/// The shape of those tables.
inline constexpr Shape xrs_tables_shape{12, 4};

/// Encode, reconstruct, update, replace, as far as their chunk sizes are among the workbench's.
Result<std::vector<Table>, Failure> xrs_tables(Workbench& workbench);

}  // namespace parapet::bench
