// What a measurement must be read with: the machine, the build, the command.
#pragma once

#include <cstddef>
#include <vector>

#include "bench/report.h"

namespace parapet::bench {

/// CPU, caches, huge pages, instruction set of the kernels, compiler and command line, as far as the system tells.
std::vector<Fact> machine_facts();

/// Size of the third-level cache; 32 MiB where the system does not tell.
std::size_t l3_size_bytes();

}  // namespace parapet::bench
