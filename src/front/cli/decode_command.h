// `parapet decode`: makes the file again from its shard set.
#pragma once

#include <CLI/CLI.hpp>

#include "front/cli/context.h"

namespace parapet::front {

void add_decode_command(CLI::App& app, Context& context);

}  // namespace parapet::front
