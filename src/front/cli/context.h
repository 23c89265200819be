// What every command of the program shares.
#pragma once

namespace parapet::front {

/// The program's exit status: 0 good, 1 bad input or damage, 2 wrong usage.
inline constexpr int exit_good = 0;
inline constexpr int exit_bad = 1;
inline constexpr int exit_usage = 2;

/// Lives as long as the parsed command line. Every command file offers `void add_NAME_command(CLI::App&, Context&)`,
/// which adds a subcommand with a `--json` flag bound to `json` and a callback that does the work, prints the report
/// and sets `exit_status`.
struct Context {
  bool json = false;
  int exit_status = exit_good;
};

}  // namespace parapet::front
