#include "front/cli/decode_command.h"

#include <fmt/format.h>

#include <memory>

#include "front/cli/long_run.h"
#include "front/cli/output.h"
#include "front/cli/quantity.h"
#include "shard/decode.h"

namespace parapet::front {
namespace {

struct Arguments {
  std::string directory;
  std::string file;
  bool force = false;
};

void report(const Context& context, const Arguments& arguments, const shard::DecodeReport& report, double seconds) {
  const std::string text = fmt::format(
      "decoded {} with {} into {}\n"
      "  read {}, wrote {} in {:.2f} s: {}\n"
      "{}",
      shard::printable(arguments.directory), report.header.code, shard::printable(arguments.file),
      size_text(report.bytes_read), size_text(report.bytes_written), seconds, rate_text(report.bytes_written, seconds),
      findings_text(report.findings));
  Json json = {{"command", "decode"}, {"directory", arguments.directory}, {"file", arguments.file}};
  json.update(set_json(report.header));
  json.update({{"bytes_read", report.bytes_read},
               {"bytes_written", report.bytes_written},
               {"seconds", seconds},
               {"findings", findings_json(report.findings)}});
  print_report(context, text, json);
}

void run(const Arguments& arguments, Context& context) {
  shard::DecodeOptions options;
  options.replace = arguments.force ? shard::Replace::yes : shard::Replace::no;
  const auto [result, seconds] = run_long("decode", [&](shard::Progress& progress) {
    return shard::decode_set(arguments.directory, arguments.file, options, progress);
  });
  if (!result) return fail(context, result.error());
  report(context, arguments, *result, seconds);
}

}  // namespace

void add_decode_command(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("decode", "Make the file again from its shard set");
  command->add_option("DIR", arguments->directory, "The directory with the shards")->required();
  command->add_option("--out", arguments->file, "The file to make")->option_text("FILE")->required();
  command->add_flag("--force", arguments->force, "Replace FILE if it exists");
  command->add_flag("--json", context.json, "Print one JSON object");
  command->footer(
      "Example: parapet decode film.shards --out film.mkv\n"
      "works around lost and damaged shards as far as the code bears them, and names them. The shards\n"
      "stay as they are; `parapet repair` mends them. FILE appears whole or not at all.");
  command->callback([arguments, &context] { run(*arguments, context); });
}

}  // namespace parapet::front
