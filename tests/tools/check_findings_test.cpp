// SPDX-License-Identifier: BSD-3-Clause
//
// What a check tells Prometheus, whatever its rails are called.
#include "tools/sample/check_findings.h"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace nmt::tools {
namespace {

CheckFindings of_a_rail_called(const std::string& rail) {
  CheckFindings findings;
  CheckedCell& cell = findings.cells.emplace_back();
  cell.rail = rail;
  cell.figure = "latency";
  cell.verdict.ratio = 1.25;
  cell.verdict.spot = cluster::Spot::kSlower;
  return findings;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The text format of Prometheus: a comment, or a name, labels in quotes, and a number. In quotes, a
// backslash stands only before a backslash, a quote or an n.
bool is_valid(const std::string& line) {
  static const std::regex comment("# (HELP|TYPE) [a-z_]+ .*");
  static const std::string label = R"rx([a-z_]+="([^"\\]|\\[\\"n])*")rx";
  static const std::regex sample("[a-z_]+(\\{" + label + "(," + label + ")*\\})? [0-9.e+-]+");
  return std::regex_match(line, comment) || std::regex_match(line, sample);
}

TEST(CheckFindings, ForPrometheusAreLinesOfItsFormatWhateverTheRailIsCalled) {
  const std::size_t usual =
      lines_of(prometheus_text(of_a_rail_called("tcp:e0"), false, 1e9)).size();
  for (const char* name : {"tcp:e0", "a\"b", "a\\b", "a\nb", "\"} 1\nnmadtune_check_slower 0\n",
                           "a\\", "a\r\tb", "\xff\xfe", "\x1b[31m"}) {
    const std::vector<std::string> lines =
        lines_of(prometheus_text(of_a_rail_called(name), false, 1e9));
    EXPECT_EQ(lines.size(), usual) << name;
    for (const std::string& line : lines) EXPECT_TRUE(is_valid(line)) << line;
  }
}

TEST(CheckFindings, ForPrometheusKeepQuotesAndBackslashesOfAName) {
  const std::string text = prometheus_text(of_a_rail_called("a\"b\\c"), true, 1e9);
  EXPECT_NE(text.find(R"(nmadtune_check_ratio{rail="a\"b\\c",figure="latency")"), std::string::npos)
      << text;
  EXPECT_NE(text.find("nmadtune_check_slower 1\n"), std::string::npos);
  EXPECT_NE(text.find("nmadtune_check_two_alarms 1\n"), std::string::npos);
}

// A check that could compare nothing must not look like one that found nothing.
TEST(CheckFindings, ForPrometheusSayNothingOfWhatWasNotChecked) {
  CheckFindings findings = of_a_rail_called("tcp:e0");
  findings.cells.front().verdict.spot = cluster::Spot::kCannotSay;
  findings.not_checked = {"tcp:e1: gone"};
  const std::string text = prometheus_text(findings, false, 1e9);
  for (const char* absent :
       {"nmadtune_check_slower", "nmadtune_check_two_alarms", "nmadtune_check_ratio{"}) {
    EXPECT_EQ(text.find(absent), std::string::npos) << text;
  }
  for (const char* present :
       {"nmadtune_check_cells{verdict=\"cannot say\"} 1\n",
        "nmadtune_check_cells{verdict=\"agrees\"} 0\n", "nmadtune_check_rails_not_checked 1\n"}) {
    EXPECT_NE(text.find(present), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace nmt::tools
