// SPDX-License-Identifier: BSD-3-Clause
#include "tests/style/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace nmt::style {
namespace {

std::string without_backticks(std::string_view cell) {
  cell = trim(cell);
  if (cell.size() < 2 || cell.front() != '`' || cell.back() != '`') return {};
  return std::string(cell.substr(1, cell.size() - 2));
}

bool is_of_a_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_of_a_word(text[at - 1]);
    if (begins && (end == text.size() || !is_of_a_word(text[end]))) return true;
  }
  return false;
}

}  // namespace

std::vector<Question> parse_questions(std::string_view page) {
  std::vector<Question> questions;
  bool inside = false;
  for (const std::string_view line : split(page, '\n')) {
    if (line.starts_with("## ")) inside = line == "## Where is ...";
    if (!inside || !line.starts_with("| ")) continue;
    const std::vector<std::string_view> cells = split(line, '|');
    if (cells.size() != 5) continue;
    const std::string file = without_backticks(cells[2]);
    if (file.empty()) continue;  // the head of the table
    questions.push_back({std::string(trim(cells[1])), file, without_backticks(cells[3])});
  }
  return questions;
}

std::vector<std::string> question_problems(std::span<const Question> questions,
                                           std::span<const SourceFile> files) {
  std::vector<std::string> problems;
  for (const Question& question : questions) {
    const auto file = std::ranges::find(files, question.file, &SourceFile::path);
    if (file == files.end()) {
      problems.push_back(
          fmt::format("where is {}: {} does not exist", question.text, question.file));
    } else if (question.symbol.empty() || !has_word(file->text, question.symbol)) {
      problems.push_back(
          fmt::format("where is {}: {} has no {}", question.text, question.file, question.symbol));
    }
  }
  return problems;
}

}  // namespace nmt::style
