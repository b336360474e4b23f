// SPDX-License-Identifier: BSD-3-Clause
#include "tests/style/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace nmt::style {
namespace {

constexpr std::string_view kLicence = "SPDX-License-Identifier: BSD-3-Clause";
constexpr std::size_t kColumnsMax = 100;
constexpr std::size_t kLinesMax = 600;
constexpr std::size_t kProseWordsMin = 5;
constexpr std::array<std::string_view, 4> kUnfinished = {
    "TO"
    "DO",
    "FIX"
    "ME",
    "XX"
    "X",
    "HA"
    "CK"};

std::size_t columns(std::string_view line) {  // UTF-8: continuation bytes take none
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; }));
}

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool has_word(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(line[at - 1]);
    if (begins && (end == line.size() || !is_word_character(line[end]))) return true;
  }
  return false;
}

// Words of the comment between the licence line and #pragma once; none where something else comes
// between.
std::size_t words_of_opening(const std::vector<std::string_view>& lines) {
  std::size_t words = 0;
  for (std::size_t i = 1; i < lines.size() && lines[i] != "#pragma once"; ++i) {
    if (!lines[i].starts_with("//")) return 0;
    for (const std::string_view word : split(lines[i].substr(2), ' ')) words += !word.empty();
  }
  return words;
}

class Checker {
 public:
  explicit Checker(const SourceFile& file) : file_(file), lines_(split(file.text, '\n')) {
    if (lines_.back().empty()) lines_.pop_back();
  }

  std::vector<std::string> check() {
    const bool markdown = file_.is_markdown();
    if (!markdown) check_licence();
    if (file_.is_header()) check_header();
    if (!markdown && lines_.size() > kLinesMax) {
      report(lines_.size(), fmt::format("longer than {} lines: is it one idea?", kLinesMax));
    }
    for (std::size_t i = 0; i < lines_.size(); ++i) check_line(i + 1, lines_[i], !markdown);
    if (!file_.text.ends_with('\n')) report(lines_.size(), "the last line does not end");
    return violations_;
  }

 private:
  void report(std::size_t line, std::string_view what) {
    violations_.push_back(fmt::format("{}:{}: {}", file_.path, line, what));
  }

  void check_licence() {
    const std::size_t at = file_.is_script() ? 1 : 0;
    const std::string expected = fmt::format("{} {}", file_.is_code() ? "//" : "#", kLicence);
    if (lines_.size() <= at || lines_[at] != expected) {
      report(at + 1, fmt::format("not the licence line \"{}\"", expected));
    }
  }

  void check_header() {
    if (std::ranges::find(lines_, "#pragma once") == lines_.end()) report(1, "no #pragma once");
    if (words_of_opening(lines_) < kProseWordsMin) {
      report(2, "does not open with a paragraph that says what it is");
    }
  }

  void check_line(std::size_t number, std::string_view line, bool limit_columns) {
    if (limit_columns && columns(line) > kColumnsMax) {
      report(number, fmt::format("{} columns", columns(line)));
    }
    if (line.find('\t') != line.npos) report(number, "a tab");
    if (line.ends_with(' ') || line.ends_with('\r')) report(number, "blank at the end");
    for (const std::string_view word : kUnfinished) {
      if (has_word(line, word)) report(number, fmt::format("unfinished: {}", word));
    }
  }

  const SourceFile& file_;
  std::vector<std::string_view> lines_;
  std::vector<std::string> violations_;
};

}  // namespace

std::vector<std::string> style_violations(const SourceFile& file) {
  if (!file.is_code() && !file.is_cmake() && !file.is_script() && !file.is_markdown()) return {};
  return Checker(file).check();
}

}  // namespace nmt::style
