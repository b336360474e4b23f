// SPDX-License-Identifier: BSD-3-Clause
//
// What a document promises of the code: the table of places, and the variables that users may set.
#include "tests/style/questions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

namespace nmt::style {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kPage =
    "| a table before it | `core/a.h` | `Nothing` |\n"
    "\n"
    "## Where is ...\n"
    "| question | file | symbol |\n"
    "| --- | --- | --- |\n"
    "| time told? | `core/clock.h` | `Clock` |\n"
    "| a rail found? | `drivers/drivers.cpp` | `make_drivers` |\n"
    "\n"
    "## Another\n"
    "| time told? | `core/clock.h` | `Watch` |\n";

TEST(Questions, AreTheRowsOfTheTable) {
  const std::vector<Question> questions = parse_questions(kPage);
  ASSERT_THAT(questions, SizeIs(2));
  EXPECT_EQ(questions[0].text, "time told?");
  EXPECT_EQ(questions[1].file, "drivers/drivers.cpp");
  EXPECT_EQ(questions[1].symbol, "make_drivers");
}

TEST(Questions, FindAFileThatWentAndASymbolThatWent) {
  const std::vector<Question> questions = parse_questions(kPage);
  const SourceFile clock{"core/clock.h", "class Clock {};\n"};
  const SourceFile drivers{"drivers/drivers.cpp", "void make_drivers();\n"};
  EXPECT_THAT(question_problems(questions, std::vector{clock, drivers}), IsEmpty());
  EXPECT_THAT(question_problems(questions, std::vector{clock}),
              ElementsAre("where is a rail found?: drivers/drivers.cpp does not exist"));
  const SourceFile longer{"core/clock.h", "class VirtualClock {}; class Clocks {};\n"};
  EXPECT_THAT(question_problems(questions, std::vector{longer, drivers}),
              ElementsAre("where is time told?: core/clock.h has no Clock"));
}

TEST(Questions, HoldInThisProject) {
  const std::vector<SourceFile> files = read_tree(NMADTUNE_SOURCE_DIR);
  const auto page = std::ranges::find(files, "docs/architecture.md", &SourceFile::path);
  ASSERT_NE(page, files.end());
  const std::vector<Question> questions = parse_questions(page->text);
  EXPECT_GE(questions.size(), 20u);
  const std::vector<std::string> problems = question_problems(questions, files);
  EXPECT_TRUE(problems.empty()) << fmt::format("{}", fmt::join(problems, "\n"));
}

TEST(Variables, OfTheEnvironmentStandInTheReference) {
  const std::vector<SourceFile> files = read_tree(NMADTUNE_SOURCE_DIR);
  const auto page = std::ranges::find(files, "docs/reference/options.md", &SourceFile::path);
  ASSERT_NE(page, files.end());
  static const std::regex variable("\"(NMADTUNE_[A-Z_]+)\"");
  std::set<std::string> read, missing;
  for (const SourceFile& file : files) {
    if (!file.is_code() || file.folder() == "tests" || file.folder() == "bench") continue;
    std::sregex_iterator found(file.text.begin(), file.text.end(), variable);
    for (; found != std::sregex_iterator(); ++found) read.insert((*found)[1]);
  }
  for (const std::string& name : read) {
    if (page->text.find(fmt::format("| `{}` |", name)) == std::string::npos) missing.insert(name);
  }
  EXPECT_TRUE(read.contains("NMADTUNE_DB"));
  EXPECT_THAT(missing, IsEmpty());
}

}  // namespace
}  // namespace nmt::style
