#include "front/cli/codes_command.h"

#include <fmt/format.h>

#include <memory>

#include "base/try.h"
#include "front/cli/code_report.h"
#include "front/cli/output.h"

namespace parapet::front {
namespace {

struct Arguments {
  std::string code;
  unsigned k = 12;
  unsigned m = 4;
  bool measure = false;
};

shard::FileResult<CodeEntry> entry_of(const Code& code, bool measure) {
  PARAPET_TRY(CodeFacts facts, shard::about(code.text(), facts_of(code)));
  CodeEntry entry{std::move(facts), std::nullopt};
  if (measure) {
    PARAPET_TRY(entry.speed, shard::about(code.text(), measure_speed(code)));
  }
  return entry;
}

void list(const Arguments& arguments, Context& context) {
  const auto choice =
      shard::about(fmt::format("k = {}, m = {}", arguments.k, arguments.m), codes_with(arguments.k, arguments.m));
  if (!choice) return fail(context, choice.error());
  std::vector<CodeEntry> entries;
  Json codes = Json::array(), absent = Json::array();
  for (const Code& code : choice->codes) {
    auto entry = entry_of(code, arguments.measure);
    if (!entry) return fail(context, entry.error());
    codes.push_back(code_json(*entry));
    entries.push_back(std::move(*entry));
  }
  for (const AbsentCode& code : choice->absent) absent.push_back({{"code", code.text}, {"reason", code.reason}});
  print_report(context, code_table(entries, choice->absent),
               {{"command", "codes"}, {"k", arguments.k}, {"m", arguments.m}, {"codes", codes}, {"absent", absent}});
}

void describe(const Arguments& arguments, Context& context) {
  const auto code = shard::about(arguments.code, Code::parse(arguments.code));
  if (!code) return fail(context, code.error());
  const auto entry = entry_of(*code, arguments.measure);
  if (!entry) return fail(context, entry.error());
  Json json = {{"command", "codes"}};
  json.update(code_json(*entry));
  print_report(context, code_description(*entry), json);
}

/// How the codes of all families are written.
std::string footer() {
  std::string text =
      "Examples: parapet codes -k 10 -m 3 --measure\n"
      "          parapet codes 'lrc(12,2,2)'\n"
      "Without CODE it compares the codes with k data and m parity chunks, k + m at most 256. Codes are\n"
      "written so:\n";
  for (const std::string_view usage : Code::families()) text += fmt::format("  {}\n", usage);
  text.pop_back();
  return text;
}

}  // namespace

void add_codes_command(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("codes", "Say which codes there are, what they bear and what they cost");
  CLI::Option* code = command->add_option("CODE", arguments->code, "Describe this code");
  command->add_option("-k", arguments->k, "Data chunks of the codes to compare [12]")
      ->option_text("NUMBER")
      ->check(CLI::Range(1, 255))
      ->excludes(code);
  command->add_option("-m", arguments->m, "Their parity chunks [4]")
      ->option_text("NUMBER")
      ->check(CLI::Range(1, 255))
      ->excludes(code);
  command->add_flag("--measure", arguments->measure, "Measure encode and repair on this machine too");
  command->add_flag("--json", context.json, "Print one JSON object");
  command->footer(footer());
  command->callback(
      [arguments, &context] { arguments->code.empty() ? list(*arguments, context) : describe(*arguments, context); });
}

}  // namespace parapet::front
