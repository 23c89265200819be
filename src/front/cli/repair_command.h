// `parapet repair`: makes a damaged shard set whole again.
#pragma once

#include <CLI/CLI.hpp>

#include "front/cli/context.h"

namespace parapet::front {

void add_repair_command(CLI::App& app, Context& context);

}  // namespace parapet::front
