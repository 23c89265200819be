// The program `parapet`.
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <sstream>
#include <string_view>

#include "front/cli/bench_command.h"
#include "front/cli/codes_command.h"
#include "front/cli/completion_command.h"
#include "front/cli/decode_command.h"
#include "front/cli/encode_command.h"
#include "front/cli/output.h"
#include "front/cli/repair_command.h"
#include "front/cli/verify_command.h"

namespace parapet::front {
namespace {

void build_commands(CLI::App& app, Context& context) {
  app.require_subcommand(1);
  app.set_version_flag("--version", "parapet " PARAPET_VERSION);
  app.footer(
      "Example: parapet encode film.mkv --code 'rs(4,2)' --out film.shards\n"
      "         parapet verify film.shards || parapet repair film.shards\n"
      "         parapet decode film.shards --out film.mkv\n"
      "`parapet COMMAND --help` says more. Exit status: 0 good, 1 bad input or damage, 2 wrong usage.");
  add_encode_command(app, context);
  add_decode_command(app, context);
  add_verify_command(app, context);
  add_repair_command(app, context);
  add_codes_command(app, context);
  add_bench_command(app, context);
  add_completion_command(app, context);
}

/// Help and version are no errors; everything else that parsing throws is wrong usage.
void end_parse(const CLI::App& app, const CLI::ParseError& error, Context& context) {
  if (error.get_exit_code() == 0) {
    std::ostringstream text;
    app.exit(error, text, text);
    std::fputs(text.str().c_str(), stdout);
    return;
  }
  // An unknown command is not what the parser complains about first.
  const bool unknown = app.get_subcommands().empty() && app.remaining_size() > 0;
  const std::string what = unknown ? "there is no command " + app.remaining().front() : error.what();
  print_error(context, shard::printable(what) + "; see parapet --help", "usage");
  context.exit_status = exit_usage;
}

int run(int argc, char** argv) {
  Context context;
  // Parsing may fail before it comes to the flag.
  context.json = std::any_of(argv + 1, argv + argc, [](std::string_view word) { return word == "--json"; });
  try {
    CLI::App app("Parapet keeps files safe: it codes them into shards, some of which may be lost.", "parapet");
    build_commands(app, context);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      end_parse(app, error, context);
    }
    if (!flush_output()) fail(context, shard::os_error("write", "standard output", errno));
  } catch (const std::exception& error) {
    print_error(context, shard::printable(error.what()), "internal");
    context.exit_status = exit_bad;
  }
  return context.exit_status;
}

}  // namespace
}  // namespace parapet::front

int main(int argc, char** argv) {
  // A write to a closed pipe or beyond a file size limit shall be an error, not the end.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  return parapet::front::run(argc, argv);
}
