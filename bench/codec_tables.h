// Encode and decode of RS, beside other libraries and the bounds of the machine.
#pragma once

#include "bench/report.h"
#include "bench/workbench.h"

namespace parapet::bench {

/// For every shape and size: both layouts on a warm stripe, and on cold ones at 64 KiB and 1 MiB.
Result<Table, Failure> encode_table(Workbench& workbench);

/// For every shape and size and 1 to m lost data chunks: both layouts on a warm stripe, decode programs cached.
Result<Table, Failure> decode_table(Workbench& workbench);

}  // namespace parapet::bench
