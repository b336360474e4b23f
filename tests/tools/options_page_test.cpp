// SPDX-License-Identifier: BSD-3-Clause
//
// docs/reference/options.md against the commands themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using OptionsByVerb = std::map<std::string, std::set<std::string>>;  // of "nmad-tune db export"

const std::set<std::string> kOfEveryCommand = {"--json", "--csv", "--quiet", "--version", "--help"};
const std::set<std::string> kOfEveryTuneVerb = {"--db", "--platform"};

class OptionsPage : public Sandbox {
 protected:
  // As the completion offers them. A verb that only groups others has none and is left out.
  void add_offered(const std::string& program, OptionsByVerb* offered) {
    static const std::regex line(R"(^    '(.*)'\) words='(.*)' ;;$)");
    const std::string name = std::filesystem::path(program).filename();
    std::istringstream lines(run({program, "--completion"}).out);
    for (std::string text; std::getline(lines, text);) {
      std::smatch found;
      if (!std::regex_match(text, found, line)) continue;
      const std::string path = found[1];
      std::istringstream words(found[2]);
      std::set<std::string> options;
      bool groups = false;
      for (std::string word; words >> word;) {
        if (!word.starts_with("--")) {
          groups = true;
        } else if (!kOfEveryCommand.contains(word) &&
                   (name != "nmad-tune" || path.empty() || !kOfEveryTuneVerb.contains(word))) {
          options.insert(word);
        }
      }
      if (!groups || path.empty()) offered->emplace(name + path, options);
    }
  }
};

// The rows of each section that is called after a command.
OptionsByVerb described_options() {
  static const std::regex heading("^#+ (nmad-.*)$");
  static const std::regex row(R"(^\| `(--[a-z0-9-]+)` \|.*)");
  OptionsByVerb described;
  std::ifstream page(NMT_OPTIONS_PAGE);
  std::string section;
  for (std::string line; std::getline(page, line);) {
    std::smatch found;
    if (std::regex_match(line, found, heading)) {
      section = found[1];
      described.try_emplace(section);
    } else if (line.starts_with('#')) {
      section.clear();
    } else if (!section.empty() && std::regex_match(line, found, row)) {
      described[section].insert(found[1]);
    }
  }
  return described;
}

TEST_F(OptionsPage, HasEveryOptionOfEveryCommandAndNoOther) {
  OptionsByVerb offered;
  for (const std::string program : {NMAD_SAMPLE, NMAD_TUNE, NMAD_BENCH}) {
    add_offered(program, &offered);
  }
  ASSERT_TRUE(offered["nmad-sample"].contains("--budget"));
  EXPECT_EQ(described_options(), offered);
}

}  // namespace
}  // namespace nmt::testing
