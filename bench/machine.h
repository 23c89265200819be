// What a measurement must be read with: the machine, the build, the command.
#pragma once

#include <vector>

#include "bench/report.h"

namespace parapet::bench {

/// CPU, caches, huge pages, instruction set of the kernels, rate of its multiplier, compiler and command line, as far
/// as the system tells.
std::vector<Fact> machine_facts();

}  // namespace parapet::bench
