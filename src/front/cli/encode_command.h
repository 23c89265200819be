// `parapet encode`: makes a shard set from a file.
#pragma once

#include <CLI/CLI.hpp>

#include "front/cli/context.h"

namespace parapet::front {

void add_encode_command(CLI::App& app, Context& context);

}  // namespace parapet::front
