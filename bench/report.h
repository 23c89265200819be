// Tables, and how they are shown: Markdown that reads well on a terminal, and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

namespace parapet::bench {

struct Column {
  std::string key;      ///< In JSON.
  std::string heading;  ///< In text.
  int decimals = 0;     ///< Of numbers, in text.
};

/// Nothing (shown as "-", null in JSON), words, or a number.
using Cell = std::variant<std::monostate, std::string, double>;
using Row = std::vector<Cell>;

/// Every row has one cell per column.
struct Table {
  std::string key;
  std::string title;
  std::string note;  ///< What the columns mean.
  std::vector<Column> columns;
  std::vector<Row> rows;
};

/// A fact about the run, e.g. {"cpu", "CPU", "..."}.
struct Fact {
  std::string key;
  std::string heading;
  std::string value;
};

struct Report {
  std::string title;
  std::vector<Fact> machine;
  std::vector<std::string> method;
  std::vector<Table> tables;
};

/// GitHub Markdown to be pasted into a document: headings from the second level on, columns padded to one width.
std::string to_markdown(const Report& report);
/// {"title", "machine": {...}, "method": [...], "tables": [{"key", "title", "note", "rows": [{...}]}]}
nlohmann::ordered_json to_json(const Report& report);

}  // namespace parapet::bench
