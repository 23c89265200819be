#include "front/cli/text_table.h"

#include <algorithm>

namespace parapet::front {

std::string TextTable::text() const {
  std::vector<std::vector<std::string>> lines;
  for (std::size_t i = 0; i < columns_.front().heads.size(); ++i) {
    lines.emplace_back();
    for (const Column& column : columns_) lines.back().push_back(column.heads[i]);
  }
  lines.insert(lines.end(), rows_.begin(), rows_.end());

  std::vector<std::size_t> widths(columns_.size());
  for (const auto& cells : lines)
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  std::string text;
  for (const auto& cells : lines) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - cells[i].size(), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].align == Align::left ? cells[i] + padding : padding + cells[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace parapet::front
