// Transfers by system calls that block.
#pragma once

#include "os/transfer.h"

namespace parapet::os {

/// Runs the transfer to its end in this thread.
void run_blocking(Transfer& transfer);

}  // namespace parapet::os
