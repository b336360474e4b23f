// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/text.h"

#include <gtest/gtest.h>

#include "tools/command/records.h"

namespace nmt::tools {
namespace {

TEST(Table, AlignsNumbersToTheRightAndTextToTheLeft) {
  Table table({"rail", ">bytes"});
  table.add({"shm", "64"});
  table.add({"tcp:lo", "1024"});
  EXPECT_EQ(table.render({}), "rail    bytes\nshm        64\ntcp:lo   1024\n");
}

TEST(Table, WrapsItsLastColumnWhereTheTerminalIsNarrow) {
  Table table({"rail", "meaning"});
  table.add({"shm", "copy below 2 KiB, iovec from there on"});
  EXPECT_EQ(table.render({.width = 30}),
            "rail  meaning\nshm   copy below 2 KiB, iovec\n      from there on\n");
}

TEST(Table, CountsCharactersAndNotBytes) {
  Table table({"name", ">n"});
  table.add({"\u00b5s", "1"});
  table.add({"abcd", "2"});
  EXPECT_EQ(table.render({}), "name  n\n\u00b5s    1\nabcd  2\n");
}

TEST(Table, TakesNoControlCharactersFromNames) {
  Table table({"rail", "x"});
  table.add(
      {"evil\033[2J\r\n\x9b"
       "1m",
       "y"});
  const std::string text = table.render({});
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find('\x9b'), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST(Text, HighlightsHeadingsOnlyWhereAsked) {
  Text text;
  text.heading("Rails").line("shm");
  EXPECT_EQ(text.render({}), "Rails\nshm\n");
  EXPECT_EQ(text.render({.highlight = true}), "\033[1mRails\033[0m\nshm\n");
}

TEST(Records, HaveAHeaderRowAndQuoteWhatNeedsIt) {
  const Records records{{"rail", "text"}, {{"a,b", "say \"x\""}, {nullptr, 0.25}}};
  EXPECT_EQ(to_csv(records), "rail,text\n\"a,b\",\"say \"\"x\"\"\"\n,0.25\n");
}

TEST(Records, AreNoFormulasForASpreadsheet) {
  const Records records{{"x"}, {{"=cmd|' /C calc'!A0"}, {"@SUM(1)"}, {-5}, {"plain"}}};
  EXPECT_EQ(to_csv(records), "x\n'=cmd|' /C calc'!A0\n'@SUM(1)\n-5\nplain\n");
}

TEST(Records, KeepOneRecordPerLine) {
  const Records records{{"x"}, {{"two\nlines\033[31m"}}};
  EXPECT_EQ(to_csv(records), "x\ntwo?lines?[31m\n");
}

}  // namespace
}  // namespace nmt::tools
