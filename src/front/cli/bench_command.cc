#include "front/cli/bench_command.h"

#include <memory>

#include "bench/codec_benchmark.h"
#include "front/cli/bench_output.h"
#include "front/cli/bench_pool_command.h"
#include "front/cli/quantity.h"

namespace parapet::front {
namespace {

struct Arguments {
  bench::CodecBenchmarkOptions options;
  std::vector<std::string> sizes;
};

std::string check_size(const std::string& text) {
  return parse_size(text) ? "" : "wants a size such as 65536, 64K or 1M";
}

void run(Arguments& arguments, Context& context) {
  bench::CodecBenchmarkOptions& options = arguments.options;
  for (const std::string& size : arguments.sizes) options.chunk_sizes.push_back(parse_size(size).value_or(0));
  run_benchmark(context, "bench codec", [&options](const Announce& announce) {
    options.announce = announce;
    return bench::run_codec_benchmark(options);
  });
}

void add_codec_benchmark(CLI::App& bench, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = bench.add_subcommand("codec", "Measure the codec on one thread, beside other libraries");
  command->add_option("--code", arguments->options.codes, "Only this code, e.g. 'rs(12,4)'; may be repeated")
      ->option_text("CODE")
      ->allow_extra_args(false);
  command->add_option("--size", arguments->sizes, "Only chunks of this size, e.g. 64K; may be repeated")
      ->option_text("SIZE")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_size, "SIZE"));
  command->add_option("--beside", arguments->options.beside, "Load this ISA-L and measure it too; may be repeated")
      ->option_text("LIBRARY")
      ->allow_extra_args(false);
  command->add_option("--jerasure", arguments->options.jerasure, "Load this Jerasure and measure it too")
      ->option_text("LIBRARY");
  command->add_flag("--quick", arguments->options.quick,
                    "A few cases in seconds: shows that it works, measures little");
  command->add_flag("--json", context.json, "Print one JSON object");
  command->footer(
      "Example: parapet bench codec --beside libisal.so.2 --code 'rs(12,4)' --size 4K --size 1M\n"
      "Prints Markdown. Measuring everything takes a few minutes.");
  command->callback([arguments, &context] { run(*arguments, context); });
}

}  // namespace

void add_bench_command(CLI::App& app, Context& context) {
  CLI::App* bench = app.add_subcommand("bench", "Measure this machine");
  bench->require_subcommand(1);
  add_codec_benchmark(*bench, context);
  add_pool_benchmark(*bench, context);
}

}  // namespace parapet::front
