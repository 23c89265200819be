// `parapet bench pool`: measures the engine on a directory of this machine.
#pragma once

#include <CLI/CLI.hpp>

#include "front/cli/context.h"

namespace parapet::front {

void add_pool_benchmark(CLI::App& bench, Context& context);

}  // namespace parapet::front
