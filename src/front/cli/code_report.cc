#include "front/cli/code_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/workbench.h"
#include "front/cli/text_table.h"

namespace parapet::front {
namespace {

using Align = TextTable::Align;

/// "86%", "~3.1%", "100%" only when all are borne.
std::string share_text(const LossSurvey& survey) {
  const double percent = 100 * survey.share();
  const double shown = survey.borne < survey.patterns ? std::min(percent, 99.9) : percent;
  const bool whole = shown >= 10 && shown < 99.5;
  return fmt::format("{}{:.{}f}%", survey.exact ? "" : "~", shown, whole || shown == 100 ? 0 : 1);
}

/// "any 3, 86% of 4": the losses that are borne.
std::string bears_text(const CodeFacts& facts) {
  std::string text = fmt::format("any {}", facts.code.tolerance());
  for (const LossSurvey& survey : facts.beyond) text += fmt::format(", {} of {}", share_text(survey), survey.losses);
  return text;
}

/// At most `digits` behind the point, and none that are zero.
std::string short_number(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// Where the sub-chunks lie.
std::string sub_chunks_text(const Code& code) {
  if (code.packet_size() > 0) return fmt::format(", in packets of {} bytes", code.packet_size());
  return code.alpha() > 1 ? ", each contiguous" : "";
}

/// What the columns mean.
std::string legend(const std::vector<CodeEntry>& entries) {
  std::string text =
      "SPACE: parity beside the data. BEARS: losses that are made good: any so many, and a share of larger ones.\n"
      "ALPHA: sub-chunks per chunk. SMALLEST CHUNK: in which sub-chunks are whole blocks of 4 KiB, as shards need.\n"
      "LOST DATA, PARITY: what repairing one chunk reads, in chunks, and from how many devices; means over the "
      "chunks.\n"
      "UPDATE: chunks that change when 4 KiB of data change.\n";
  if (!entries.empty() && entries.front().speed)
    text += fmt::format(
        "GB/S: of data encoded, and of one lost chunk brought back, on this machine, by one thread, in memory; chunks "
        "of "
        "{},\nor what fits the code.\n",
        bench::size_text(entries.front().speed->chunk_size));
  return text;
}

/// Chunks in sequence whose repairs cost the same.
struct EqualRepairs {
  unsigned first;
  unsigned last;
};

std::vector<EqualRepairs> equal_repairs(const CodeFacts& facts) {
  std::vector<EqualRepairs> groups;
  for (unsigned index = 0; index < facts.code.n(); ++index) {
    const bool same = !groups.empty() && index != facts.code.k() && facts.repairs[index] == facts.repairs[index - 1];
    if (same)
      groups.back().last = index;
    else
      groups.push_back({index, index});
  }
  return groups;
}

std::string repairs_text(const CodeFacts& facts) {
  TextTable table({{{"CHUNK"}, Align::left}, {{"READS"}}, {{"FROM"}}, {{"IN"}}});
  for (const auto [first, last] : equal_repairs(facts)) {
    const PlanCost& cost = facts.repairs[first];
    const char* kind = first < facts.code.k() ? "data" : "parity";
    table.add_row({first == last ? fmt::format("{} {}", kind, first) : fmt::format("{} {}-{}", kind, first, last),
                   fmt::format("{:.2f} chunks", facts.chunks_read(cost)), plural(cost.chunks, "device"),
                   plural(cost.ranges, "piece")});
  }
  return table.text();
}

std::string indented(const std::string& text) {
  std::string lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    lines += "  " + text.substr(begin, end - begin);
    begin = end;
  }
  return lines;
}

Json mean_json(const RepairMean& mean) { return {{"chunks", mean.chunks}, {"devices", mean.devices}}; }

Json survey_json(const LossSurvey& survey) {
  return {{"losses", survey.losses},
          {"patterns", survey.patterns},
          {"borne", survey.borne},
          {"share", survey.share()},
          {"exact", survey.exact}};
}

}  // namespace

std::string code_table(const std::vector<CodeEntry>& entries, const std::vector<AbsentCode>& absent) {
  std::vector<TextTable::Column> columns{
      {{"", "CODE"}, Align::left}, {{"", "SPACE"}},     {{"", "BEARS"}, Align::left}, {{"", "ALPHA"}},
      {{"SMALLEST", "CHUNK"}},     {{"LOST", "READS"}}, {{"DATA", "FROM"}},           {{"LOST", "READS"}},
      {{"PARITY", "FROM"}},        {{"", "UPDATE"}}};
  const bool measured = !entries.empty() && entries.front().speed;
  if (measured) {
    columns.push_back({{"ENCODE", "GB/S"}});
    columns.push_back({{"REPAIR", "GB/S"}});
  }
  TextTable table(std::move(columns));
  for (const auto& [facts, speed] : entries) {
    const RepairMean data = facts.data_repair(), parity = facts.parity_repair();
    std::vector<std::string> cells{facts.code.text(),
                                   fmt::format("+{:.0f}%", 100 * facts.overhead()),
                                   bears_text(facts),
                                   fmt::format("{}", facts.code.alpha()),
                                   bench::size_text(facts.chunk_size_min),
                                   fmt::format("{:.2f}", data.chunks),
                                   short_number(data.devices, 1),
                                   fmt::format("{:.2f}", parity.chunks),
                                   short_number(parity.devices, 1),
                                   short_number(facts.update_chunks, 1)};
    if (measured) {
      cells.push_back(fmt::format("{:.2f}", speed->encode));
      cells.push_back(fmt::format("{:.2f}", speed->repair));
    }
    table.add_row(std::move(cells));
  }
  std::string text = table.text() + "\n" + legend(entries);
  if (!absent.empty()) text += "\nNot for these numbers:\n";
  for (const AbsentCode& code : absent) text += fmt::format("  {}: {}\n", code.text, code.reason);
  return text;
}

std::string code_description(const CodeEntry& entry) {
  const CodeFacts& facts = entry.facts;
  const Code& code = facts.code;
  std::string text = fmt::format("{}\n  {} of data, {} of parity: {:.1f}% more space than the data\n", code.text(),
                                 plural(code.k(), "chunk"), code.m(), 100 * facts.overhead());
  text += fmt::format("  bears the loss of any {} of the {} chunks\n", code.tolerance(), code.n());
  for (const LossSurvey& survey : facts.beyond)
    text += fmt::format("  bears {} of the losses of {}: {} of {} {}\n", share_text(survey), survey.losses,
                        survey.borne, survey.patterns, survey.exact ? "patterns" : "patterns tried");
  text += fmt::format("  {} per chunk{}; chunks of shards are multiples of {}\n", plural(code.alpha(), "sub-chunk"),
                      sub_chunks_text(code), bench::size_text(facts.chunk_size_min));
  text += fmt::format("  a change of 4 KiB of data changes {} chunks\n", short_number(facts.update_chunks, 2));
  if (entry.speed)
    text += fmt::format("  encodes {:.2f} GB of data and repairs {:.2f} GB of a lost chunk per second, chunks of {}\n",
                        entry.speed->encode, entry.speed->repair, bench::size_text(entry.speed->chunk_size));
  text += fmt::format("  repair of one lost chunk, by chunks of {}:\n", bench::size_text(facts.chunk_size_min));
  return text + indented(indented(repairs_text(facts)));
}

Json code_json(const CodeEntry& entry) {
  const CodeFacts& facts = entry.facts;
  Json beyond = Json::array(), repairs = Json::array();
  for (const LossSurvey& survey : facts.beyond) beyond.push_back(survey_json(survey));
  for (const PlanCost& cost : facts.repairs)
    repairs.push_back({{"bytes", cost.bytes}, {"ranges", cost.ranges}, {"devices", cost.chunks}});
  Json json = {{"code", facts.code.text()},
               {"k", facts.code.k()},
               {"m", facts.code.m()},
               {"n", facts.code.n()},
               {"alpha", facts.code.alpha()},
               {"packet_size", facts.code.packet_size()},
               {"tolerance", facts.code.tolerance()},
               {"beyond_tolerance", beyond},
               {"overhead", facts.overhead()},
               {"chunk_size_min", facts.chunk_size_min},
               {"repair_data", mean_json(facts.data_repair())},
               {"repair_parity", mean_json(facts.parity_repair())},
               {"repairs", repairs},
               {"update_chunks", facts.update_chunks}};
  if (entry.speed)
    json["speed"] = {{"chunk_size", entry.speed->chunk_size},
                     {"encode_gbps", entry.speed->encode},
                     {"repair_gbps", entry.speed->repair}};
  return json;
}

}  // namespace parapet::front
