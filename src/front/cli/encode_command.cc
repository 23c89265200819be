#include "front/cli/encode_command.h"

#include <fmt/format.h>

#include <memory>

#include "front/cli/long_run.h"
#include "front/cli/output.h"
#include "front/cli/quantity.h"
#include "shard/encode.h"

namespace parapet::front {
namespace {

struct Arguments {
  std::string file;
  std::string code = "rs(4,2)";
  std::string directory;
  std::string chunk_size;
  bool force = false;
};

std::string check_size(const std::string& text) {
  return parse_size(text).value_or(0) > 0 ? "" : "wants a size such as 65536, 64K or 1M";
}

void report(const Context& context, const Arguments& arguments, const Code& code, const shard::EncodeReport& report,
            double seconds) {
  const layout::ShardHeader& header = report.header;
  const unsigned n = code.n();
  const std::string text = fmt::format(
      "encoded {} with {} into {}\n"
      "  {} shards of {}, of which any {} may be lost; set {}\n"
      "  read {}, wrote {} in {:.2f} s: {}\n",
      shard::printable(arguments.file), header.code, shard::printable(arguments.directory), n,
      size_text(report.shard_size), code.tolerance(), header.set_id.text(), size_text(report.bytes_read),
      size_text(report.bytes_written), seconds, rate_text(report.bytes_read, seconds));
  Json json = {{"command", "encode"}, {"file", arguments.file}, {"directory", arguments.directory}};
  json.update(set_json(header));
  json.update({{"shard_count", n},
               {"shard_size", report.shard_size},
               {"tolerance", code.tolerance()},
               {"stripe_count", report.stripe_count},
               {"bytes_read", report.bytes_read},
               {"bytes_written", report.bytes_written},
               {"seconds", seconds}});
  print_report(context, text, json);
}

void run(const Arguments& arguments, Context& context) {
  const auto code = shard::about(arguments.code, Code::parse(arguments.code));
  if (!code) return fail(context, code.error());
  shard::EncodeOptions options;
  options.chunk_size = parse_size(arguments.chunk_size).value_or(0);
  options.replace = arguments.force ? shard::Replace::yes : shard::Replace::no;
  const auto [result, seconds] = run_long("encode", [&](shard::Progress& progress) {
    return shard::encode_file(arguments.file, *code, arguments.directory, options, progress);
  });
  if (!result) return fail(context, result.error());
  report(context, arguments, *code, *result, seconds);
}

}  // namespace

void add_encode_command(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("encode", "Make a shard set from a file");
  command->add_option("FILE", arguments->file, "The file to encode")->required();
  command->add_option("--code", arguments->code, "The code [rs(4,2)]; `parapet codes` compares them")
      ->option_text("CODE");
  command->add_option("--out", arguments->directory, "The directory to make, one file per shard in it")
      ->option_text("DIR")
      ->required();
  command
      ->add_option("--chunk-size", arguments->chunk_size,
                   "Bytes of a shard that are coded together [1M, or what fits the code]")
      ->option_text("SIZE")
      ->check(CLI::Validator(check_size, "SIZE"));
  command->add_flag("--force", arguments->force, "Replace the shard set that is in DIR");
  command->add_flag("--json", context.json, "Print one JSON object");
  command->footer(
      "Example: parapet encode film.mkv --code 'xrs(12,4)' --out film.shards\n"
      "makes 16 shards, any 12 of which give the film again. Spread them over disks. DIR appears\n"
      "whole or not at all. Sizes take K, M and G for KiB, MiB and GiB.");
  command->callback([arguments, &context] { run(*arguments, context); });
}

}  // namespace parapet::front
