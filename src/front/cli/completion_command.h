// `parapet completion`: prints a completion script for a shell.
#pragma once

#include <CLI/CLI.hpp>

#include "front/cli/context.h"

namespace parapet::front {

void add_completion_command(CLI::App& app, Context& context);

}  // namespace parapet::front
