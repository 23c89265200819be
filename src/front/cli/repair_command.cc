#include "front/cli/repair_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "front/cli/long_run.h"
#include "front/cli/output.h"
#include "front/cli/quantity.h"
#include "shard/repair.h"

namespace parapet::front {
namespace {

struct Arguments {
  std::string directory;
  bool lost_only = false;
};

Json indices_json(const ChunkSet& indices) {
  Json list = Json::array();
  for (const unsigned index : indices) list.push_back(index);
  return list;
}

/// E.g. " (31.3% of the set's data)".
std::string share_text(std::uint64_t bytes, std::uint64_t data_bytes) {
  if (data_bytes == 0) return "";
  return fmt::format(" ({:.1f}% of the set's data)",
                     100.0 * static_cast<double>(bytes) / static_cast<double>(data_bytes));
}

void report(const Context& context, const Arguments& arguments, const shard::RepairReport& report, double seconds) {
  const std::string rebuilt = report.rebuilt.empty() ? "  no shard had to be rebuilt\n"
                                                     : fmt::format("  rebuilt {}: {}\n", report.rebuilt.count(),
                                                                   fmt::join(report.rebuilt, ", "));
  const std::string renamed =
      report.renamed.empty() ? "" : fmt::format("  renamed {}\n", fmt::join(report.renamed, ", "));
  const std::string text = fmt::format(
      "repaired {}: {}, set {}\n{}{}  read {}{}, wrote {} in {:.2f} s: {}\n{}", shard::printable(arguments.directory),
      report.header.code, report.header.set_id.text(), rebuilt, renamed, size_text(report.bytes_read),
      share_text(report.bytes_read, report.data_bytes), size_text(report.bytes_written), seconds,
      rate_text(report.bytes_read + report.bytes_written, seconds), findings_text(report.findings));
  Json json = {{"command", "repair"}, {"directory", arguments.directory}};
  json.update(set_json(report.header));
  json.update({{"rebuilt", indices_json(report.rebuilt)},
               {"renamed", indices_json(report.renamed)},
               {"data_bytes", report.data_bytes},
               {"bytes_read", report.bytes_read},
               {"bytes_written", report.bytes_written},
               {"seconds", seconds},
               {"findings", findings_json(report.findings)}});
  print_report(context, text, json);
}

void run(const Arguments& arguments, Context& context) {
  shard::RepairOptions options;
  options.reading = arguments.lost_only ? shard::Reading::needed : shard::Reading::all;
  const auto [result, seconds] = run_long(
      "repair", [&](shard::Progress& progress) { return shard::repair_set(arguments.directory, options, progress); });
  if (!result) return fail(context, result.error());
  report(context, arguments, *result, seconds);
}

}  // namespace

void add_repair_command(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("repair", "Make a damaged shard set whole again");
  command->add_option("DIR", arguments->directory, "The directory with the shards")->required();
  command->add_flag("--lost-only", arguments->lost_only,
                    "Rebuild lost shards only, reading the least that the code needs, and look for no rot");
  command->add_flag("--json", context.json, "Print one JSON object");
  command->footer(
      "Example: parapet repair film.shards\n"
      "reads all shards, rebuilds the lost and the rotten ones, and lists what was wrong. Good shards,\n"
      "duplicates and files of other sets are never written. Nothing changes before all rebuilt shards\n"
      "are complete.");
  command->callback([arguments, &context] { run(*arguments, context); });
}

}  // namespace parapet::front
