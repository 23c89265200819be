// `parapet codes`: says which codes there are and what they bear.
#pragma once

#include <CLI/CLI.hpp>

#include "front/cli/context.h"

namespace parapet::front {

void add_codes_command(CLI::App& app, Context& context);

}  // namespace parapet::front
