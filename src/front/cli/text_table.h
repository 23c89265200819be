// A table on a terminal.
#pragma once

#include <string>
#include <vector>

namespace parapet::front {

/// Columns as wide as they need to be, two blanks between them.
class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::vector<std::string> heads;  ///< One above the other, as many in each column.
    Align align = Align::right;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// As many cells as columns.
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Lines without blanks at their ends.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace parapet::front
