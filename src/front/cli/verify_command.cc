#include "front/cli/verify_command.h"

#include <fmt/format.h>

#include <memory>

#include "front/cli/long_run.h"
#include "front/cli/output.h"
#include "front/cli/quantity.h"
#include "shard/verify.h"

namespace parapet::front {
namespace {

/// What a set with findings comes to, in a line.
std::string verdict(const std::string& directory, const shard::VerifyReport& report) {
  const std::size_t count = report.findings.size();
  const std::string findings =
      fmt::format("{}: {} finding{}", shard::printable(directory), count, count == 1 ? "" : "s");
  if (report.block_rows_lost > 0)
    return fmt::format("{}, and {} row{} of blocks cannot be brought back", findings, report.block_rows_lost,
                       report.block_rows_lost == 1 ? "" : "s");
  return findings + ", no data is lost";
}

void run(const std::string& directory, Context& context) {
  const auto [result, seconds] = run_long("verify", [&](shard::Progress& progress) {
    return shard::verify_set(directory, shard::default_worker_count(), progress);
  });
  if (!result) return fail(context, result.error());
  const shard::VerifyReport& report = *result;
  const std::string text = fmt::format(
      "verified {}: {}, set {}\n  read {} in {:.2f} s: {}\n{}", shard::printable(directory), report.header.code,
      report.header.set_id.text(), size_text(report.bytes_read), seconds, rate_text(report.bytes_read, seconds),
      report.findings.empty() ? "  all shards are good\n" : findings_text(report.findings));
  Json json = {{"command", "verify"}, {"directory", directory}};
  json.update(set_json(report.header));
  json.update({{"bytes_read", report.bytes_read},
               {"seconds", seconds},
               {"good", report.findings.empty()},
               {"repairable", report.block_rows_lost == 0},
               {"block_rows_lost", report.block_rows_lost},
               {"findings", findings_json(report.findings)}});
  print_report(context, text, json);
  if (report.findings.empty()) return;
  std::fputs(fmt::format("parapet: {}\n", verdict(directory, report)).c_str(), stderr);
  context.exit_status = exit_bad;
}

}  // namespace

void add_verify_command(CLI::App& app, Context& context) {
  auto directory = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("verify", "Say what is wrong with a shard set");
  command->add_option("DIR", *directory, "The directory with the shards")->required();
  command->add_flag("--json", context.json, "Print one JSON object");
  command->footer(
      "Example: parapet verify film.shards\n"
      "reads all shards, checks every checksum and that parity fits the data, and lists what it finds.\n"
      "Exit status 1 when there is anything. Changes nothing.");
  command->callback([directory, &context] { run(*directory, context); });
}

}  // namespace parapet::front
