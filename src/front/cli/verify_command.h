// `parapet verify`: says what is wrong with a shard set.
#pragma once

#include <CLI/CLI.hpp>

#include "front/cli/context.h"

namespace parapet::front {

void add_verify_command(CLI::App& app, Context& context);

}  // namespace parapet::front
