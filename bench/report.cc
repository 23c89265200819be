#include "bench/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"

namespace parapet::bench {
namespace {

std::string text_of(const Cell& cell, int decimals) {
  if (const auto* words = std::get_if<std::string>(&cell)) return *words;
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{:.{}f}", *number, decimals);
  return "-";
}

nlohmann::ordered_json json_of(const Cell& cell) {
  if (const auto* words = std::get_if<std::string>(&cell)) return *words;
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return nullptr;
}

/// Numbers go to the right, words to the left.
bool is_numeric(const Table& table, std::size_t column) {
  return std::none_of(table.rows.begin(), table.rows.end(),
                      [&](const Row& row) { return std::holds_alternative<std::string>(row[column]); });
}

std::size_t width_of(const Table& table, std::size_t column) {
  std::size_t width = std::max<std::size_t>(table.columns[column].heading.size(), 3);
  for (const Row& row : table.rows)
    width = std::max(width, text_of(row[column], table.columns[column].decimals).size());
  return width;
}

std::string markdown_of(const Table& table) {
  std::string headings = "|";
  std::string rulers = "|";
  std::vector<std::string> lines(table.rows.size(), "|");
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::size_t width = width_of(table, c);
    const bool numeric = is_numeric(table, c);
    const auto pad = [&](const std::string& text) {
      return numeric ? fmt::format(" {:>{}} |", text, width) : fmt::format(" {:<{}} |", text, width);
    };
    headings += pad(table.columns[c].heading);
    rulers += fmt::format(" {:-<{}}{} |", "", width - 1, numeric ? ':' : '-');
    for (std::size_t r = 0; r < lines.size(); ++r) {
      PARAPET_ASSERT(table.rows[r].size() == table.columns.size());
      lines[r] += pad(text_of(table.rows[r][c], table.columns[c].decimals));
    }
  }
  std::string text = fmt::format("### {}\n\n{}\n\n{}\n{}\n", table.title, table.note, headings, rulers);
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

nlohmann::ordered_json json_of(const Table& table) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Row& row : table.rows) {
    nlohmann::ordered_json object;
    for (std::size_t c = 0; c < row.size(); ++c) object[table.columns[c].key] = json_of(row[c]);
    rows.push_back(std::move(object));
  }
  return {{"key", table.key}, {"title", table.title}, {"note", table.note}, {"rows", std::move(rows)}};
}

}  // namespace

std::string to_markdown(const Report& report) {
  std::string text = fmt::format("## {}\n\n", report.title);
  for (const Fact& fact : report.machine) text += fmt::format("* {}: {}\n", fact.heading, fact.value);
  text += "\nMethod:\n\n";
  for (const std::string& sentence : report.method) text += fmt::format("* {}\n", sentence);
  for (const Table& table : report.tables) text += fmt::format("\n{}", markdown_of(table));
  return text;
}

nlohmann::ordered_json to_json(const Report& report) {
  nlohmann::ordered_json machine;
  for (const Fact& fact : report.machine) machine[fact.key] = fact.value;
  nlohmann::ordered_json tables = nlohmann::ordered_json::array();
  for (const Table& table : report.tables) tables.push_back(json_of(table));
  return {{"title", report.title}, {"machine", machine}, {"method", report.method}, {"tables", tables}};
}

}  // namespace parapet::bench
