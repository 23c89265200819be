#include "front/cli/bench_pool_command.h"

#include <memory>
#include <string>
#include <vector>

#include "bench/pool_benchmark.h"
#include "front/cli/bench_output.h"
#include "front/cli/quantity.h"

namespace parapet::front {
namespace {

struct Arguments {
  bench::PoolBenchmarkOptions options;
  std::string scheme = "plr";
  std::string log_size;
  std::vector<std::string> scaling;
};

std::string check_size(const std::string& text) { return parse_size(text) ? "" : "wants a size such as 8M or 1G"; }

std::string check_scheme(const std::string& text) {
  return text == "all" || pool::scheme_named(text) ? "" : "wants fo, fl, pl, plr or all";
}

std::vector<pool::Scheme> schemes_named(const std::string& text) {
  if (text != "all") return {pool::scheme_named(text).value_or(pool::Scheme::plr)};
  return {pool::Scheme::fo, pool::Scheme::fl, pool::Scheme::pl, pool::Scheme::plr};
}

void run(Arguments& arguments, Context& context) {
  bench::PoolBenchmarkOptions& options = arguments.options;
  options.schemes = schemes_named(arguments.scheme);
  if (!arguments.log_size.empty()) options.log_size = parse_size(arguments.log_size).value_or(0);
  for (const std::string& size : arguments.scaling) options.scaling.push_back(parse_size(size).value_or(0));
  run_benchmark(context, "bench pool", [&options](const Announce& announce) {
    options.announce = announce;
    return bench::run_pool_benchmark(options);
  });
}

void add_shape_options(CLI::App& command, Arguments& arguments) {
  bench::PoolBenchmarkOptions& options = arguments.options;
  command.add_option("--on", options.on, "The directory below which devices are made, and removed; default: this one")
      ->option_text("DIR");
  command.add_option("--code", options.code, "The pool's code; default: rs(4,2)")->option_text("CODE");
  command.add_option("--scheme", arguments.scheme, "fo, fl, pl, plr or all; default: plr")
      ->option_text("SCHEME")
      ->check(CLI::Validator(check_scheme, "SCHEME"));
  command.add_option("--devices", options.device_count, "How many devices; default: as many as the code needs")
      ->option_text("COUNT");
  command
      .add_option("--log-size", arguments.log_size, "Of a device in the steady state, twice as much else; default: 64M")
      ->option_text("SIZE")
      ->check(CLI::Validator(check_size, "SIZE"));
  command.add_option("--segments", options.segment_count, "How many are overwritten, for each size of write; 32")
      ->option_text("COUNT");
}

void add_run_options(CLI::App& command, Arguments& arguments) {
  bench::PoolBenchmarkOptions& options = arguments.options;
  command.add_option("--seconds", options.seconds, "Of each run, at least; default: 1")->option_text("SECONDS");
  command.add_option("--rounds", options.rounds, "How often each run is repeated; default: 3")->option_text("COUNT");
  command.add_option("--threads", options.thread_count, "Writers where there are several; default: 16")
      ->option_text("COUNT");
  command.add_option("--only", options.only, "Only this one, e.g. durable_1 or unflushed")->option_text("KEY");
  command.add_option("--scaling", arguments.scaling, "Measure pools of this size, too, e.g. 1G; may be repeated")
      ->option_text("SIZE")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_size, "SIZE"));
  command.add_flag("--only-scaling", options.only_scaling, "Measure nothing but what --scaling names");
}

}  // namespace

void add_pool_benchmark(CLI::App& bench, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = bench.add_subcommand("pool", "Measure a pool on this machine's disk, beside the disk alone");
  add_shape_options(*command, *arguments);
  add_run_options(*command, *arguments);
  command->add_flag("--json", context.json, "Print one JSON object");
  command->footer(
      "Example: parapet bench pool --on /mnt/disk --scheme all --scaling 1G --scaling 4G\n"
      "Prints Markdown. Takes some minutes, and some GB of the disk for as long.");
  command->callback([arguments, &context] { run(*arguments, context); });
}

}  // namespace parapet::front
