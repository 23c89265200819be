#include "front/cli/bench_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "front/cli/output.h"

namespace parapet::front {
namespace {

/// On one line that the next text replaces.
void show_on_terminal(const std::string& what) { fmt::print(stderr, "\r\033[K{}", what); }

}  // namespace

void run_benchmark(Context& context, const std::string& name,
                   const std::function<Result<bench::Report, bench::Failure>(const Announce&)>& benchmark) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto report = benchmark(terminal ? Announce(show_on_terminal) : Announce([](const std::string&) {}));
  if (terminal) show_on_terminal("");
  if (!report) {
    print_error(context, shard::printable(report.error()), "bench");
    context.exit_status = exit_bad;
    return;
  }
  Json json = {{"command", name}};
  json.update(bench::to_json(*report));
  print_report(context, bench::to_markdown(*report), json);
}

}  // namespace parapet::front
