#include "front/cli/codes_command.h"

#include <fmt/format.h>

#include <memory>
#include <numeric>

#include "front/cli/output.h"
#include "parapet/codec.h"

namespace parapet::front {
namespace {

/// How much repairs of single shards read, in shards.
struct RepairReads {
  double data = 0;    ///< Mean over the data shards.
  double parity = 0;  ///< Mean over the parity shards.
};

Result<double> shards_read(const Code& code, unsigned lost) {
  const std::size_t chunk_size = std::lcm(code.chunk_size_multiple(), std::size_t{code.alpha()}) * 4096;
  const auto plan = code.plan_repair(ChunkSet::range(0, code.n()) - ChunkSet{lost}, {lost}, chunk_size);
  if (!plan) return plan.error();
  return static_cast<double>(plan->bytes_read()) / static_cast<double>(chunk_size);
}

Result<RepairReads> repair_reads(const Code& code) {
  RepairReads reads;
  for (unsigned lost = 0; lost < code.n(); ++lost) {
    const auto shards = shards_read(code, lost);
    if (!shards) return shards.error();
    (lost < code.k() ? reads.data : reads.parity) += *shards / (lost < code.k() ? code.k() : code.m());
  }
  return reads;
}

/// A family's example: its name with the shape that the help texts use.
std::string example_of(std::string_view family) { return std::string(family.substr(0, family.find('('))) + "(12,4)"; }

Json code_json(const Code& code, const RepairReads& reads) {
  return {{"code", code.text()},
          {"k", code.k()},
          {"m", code.m()},
          {"n", code.n()},
          {"alpha", code.alpha()},
          {"tolerance", code.tolerance()},
          {"overhead", static_cast<double>(code.m()) / code.k()},
          {"repair_reads_data", reads.data},
          {"repair_reads_parity", reads.parity}};
}

void list_families(Context& context) {
  std::string text =
      fmt::format("{:<14}{:>10}{:>8}{:>30}\n", "EXAMPLE", "OVERHEAD", "BEARS", "ONE LOST DATA SHARD READS");
  std::string syntax;
  Json list = Json::array();
  for (const std::string_view family : Code::families()) {
    const auto code = shard::about(example_of(family), Code::parse(example_of(family)));
    if (!code) return fail(context, code.error());
    const auto reads = shard::about(code->text(), repair_reads(*code));
    if (!reads) return fail(context, reads.error());
    text += fmt::format("{:<14}{:>9.0f}%{:>8}{:>30}\n", code->text(), 100.0 * code->m() / code->k(), code->tolerance(),
                        fmt::format("{:.2f} shards", reads->data));
    syntax += fmt::format("  {}\n", family);
    list.push_back({{"syntax", family}, {"example", code_json(*code, *reads)}});
  }
  text += "\nCodes are written so, with k data and m parity shards, k + m at most 256:\n" + syntax;
  print_report(context, text, {{"command", "codes"}, {"families", list}});
}

void describe(const std::string& name, Context& context) {
  const auto code = shard::about(name, Code::parse(name));
  if (!code) return fail(context, code.error());
  const auto reads = shard::about(name, repair_reads(*code));
  if (!reads) return fail(context, reads.error());
  const std::string text = fmt::format(
      "{}\n"
      "  {} shards: {} data, {} parity; {} sub-chunk{} per chunk\n"
      "  bears the loss of any {} shards; takes {:.1f}% more space than the file\n"
      "  to repair one shard it reads, on average, {:.2f} shards for data and {:.2f} for parity\n",
      code->text(), code->n(), code->k(), code->m(), code->alpha(), code->alpha() == 1 ? "" : "s", code->tolerance(),
      100.0 * code->m() / code->k(), reads->data, reads->parity);
  Json json = {{"command", "codes"}};
  json.update(code_json(*code, *reads));
  print_report(context, text, json);
}

}  // namespace

void add_codes_command(CLI::App& app, Context& context) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("codes", "Say which codes there are and what they bear");
  command->add_option("CODE", *name, "Describe this code");
  command->add_flag("--json", context.json, "Print one JSON object");
  command->footer("Example: parapet codes 'xrs(12,4)'");
  command->callback([name, &context] { name->empty() ? list_families(context) : describe(*name, context); });
}

}  // namespace parapet::front
