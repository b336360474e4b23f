// SPDX-License-Identifier: BSD-3-Clause
#include "tests/style/rules.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nmt::style {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kLicence = "// SPDX-License-Identifier: BSD-3-Clause\n";
const std::string kProse =
    "//\n// Time as a parameter: whatever waits or measures takes a Clock.\n";

std::vector<std::string> violations(const std::string& path, const std::string& text) {
  return style_violations({path, text});
}

TEST(StyleRules, AcceptFilesAsTheyShouldBe) {
  EXPECT_THAT(violations("core/clock.h", kLicence + kProse + "#pragma once\n"), IsEmpty());
  EXPECT_THAT(violations("core/clock.cpp", kLicence + "#include \"core/clock.h\"\n"), IsEmpty());
  EXPECT_THAT(violations("CMakeLists.txt", "# SPDX-License-Identifier: BSD-3-Clause\n"), IsEmpty());
  EXPECT_THAT(violations("scripts/x", "#!/bin/sh\n# SPDX-License-Identifier: BSD-3-Clause\n"),
              IsEmpty());
  EXPECT_THAT(violations("docs/x.md", std::string(300, 'x') + "\n"), IsEmpty());
}

TEST(StyleRules, WantTheLicenceLineFirst) {
  EXPECT_THAT(violations("core/clock.cpp", "\n" + kLicence),
              ElementsAre(HasSubstr("core/clock.cpp:1: not the licence")));
  EXPECT_THAT(violations("x.cmake", "option(X)\n"), ElementsAre(HasSubstr(":1: not the licence")));
  EXPECT_THAT(violations("scripts/x", "#!/bin/sh\ntrue\n"),
              ElementsAre(HasSubstr(":2: not the licence")));
}

TEST(StyleRules, WantPragmaOnceAndAnOpeningParagraphInHeaders) {
  EXPECT_THAT(violations("core/clock.h", kLicence + kProse),
              ElementsAre(HasSubstr("#pragma once")));
  EXPECT_THAT(violations("core/clock.h", kLicence + "#pragma once\n"),
              ElementsAre(HasSubstr("paragraph")));
  EXPECT_THAT(violations("core/clock.h", kLicence + "//\n// Clock.\n#pragma once\n"),
              ElementsAre(HasSubstr("paragraph")));
  EXPECT_THAT(
      violations("core/clock.h", kLicence + "#include <vector>\n" + kProse + "#pragma once\n"),
      ElementsAre(HasSubstr("paragraph")));
}

TEST(StyleRules, LimitColumnsAsSeenAndNotBytes) {
  const std::string dash = "\xe2\x80\x94";
  std::string line = "// ";
  for (int i = 0; i < 97; ++i) line += dash;
  EXPECT_THAT(violations("a.cpp", kLicence + line + "\n"), IsEmpty());
  EXPECT_THAT(violations("a.cpp", kLicence + line + "x\n"), ElementsAre("a.cpp:2: 101 columns"));
}

TEST(StyleRules, LimitTheLengthOfAFile) {
  std::string text = kLicence;
  for (int i = 0; i < 599; ++i) text += "//\n";
  EXPECT_THAT(violations("a.cpp", text), IsEmpty());
  EXPECT_THAT(violations("a.cpp", text + "//\n"), ElementsAre(HasSubstr("one idea")));
}

TEST(StyleRules, RefuseTabsBlanksAndLinesThatDoNotEnd) {
  EXPECT_THAT(violations("a.cpp", kLicence + "\tint a;\n"), ElementsAre("a.cpp:2: a tab"));
  EXPECT_THAT(violations("a.md", "text \n"), ElementsAre(HasSubstr("blank at the end")));
  EXPECT_THAT(violations("a.md", "text\r\n"), ElementsAre(HasSubstr("blank at the end")));
  EXPECT_THAT(violations("a.md", "text"), ElementsAre(HasSubstr("does not end")));
}

TEST(StyleRules, RefuseWordsForUnfinishedWork) {
  const std::string word = std::string("TO") + "DO";
  EXPECT_THAT(violations("a.cpp", kLicence + "// " + word + ": later\n"),
              ElementsAre(HasSubstr("a.cpp:2: unfinished")));
  EXPECT_THAT(violations("a.cpp", kLicence + "// my" + word + "_list\n"), IsEmpty());
}

TEST(StyleRules, HoldInThisProject) {
  std::vector<std::string> all;
  for (const SourceFile& file : read_tree(NMADTUNE_SOURCE_DIR)) {
    for (std::string& violation : style_violations(file)) all.push_back(std::move(violation));
  }
  EXPECT_TRUE(all.empty()) << fmt::format("{}", fmt::join(all, "\n"));
}

}  // namespace
}  // namespace nmt::style
