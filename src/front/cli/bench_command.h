// `parapet bench`: measures this machine.
#pragma once

#include <CLI/CLI.hpp>

#include "front/cli/context.h"

namespace parapet::front {

void add_bench_command(CLI::App& app, Context& context);

}  // namespace parapet::front
