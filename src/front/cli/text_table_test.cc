#include "front/cli/text_table.h"

#include <gtest/gtest.h>

namespace parapet::front {
namespace {

TEST(TextTable, AlignsColumnsAndEndsLinesWithoutBlanks) {
  TextTable table({{{"", "NAME"}, TextTable::Align::left}, {{"LONG", "HEAD"}}, {{"", "C"}, TextTable::Align::left}});
  table.add_row({"first", "1", "x"});
  table.add_row({"2", "23456", ""});
  EXPECT_EQ(table.text(),
            "        LONG\n"
            "NAME    HEAD  C\n"
            "first      1  x\n"
            "2      23456\n");
}

}  // namespace
}  // namespace parapet::front
