// Completion scripts for shells, made from the program's own command tree.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace parapet::front {

std::string bash_completion(const CLI::App& root);
std::string zsh_completion(const CLI::App& root);
std::string fish_completion(const CLI::App& root);

}  // namespace parapet::front
