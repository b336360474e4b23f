// SPDX-License-Identifier: BSD-3-Clause
//
// The table "Where is ..." of docs/architecture.md: questions of a newcomer, each with the file and
// the symbol that answer it, held against the files of the project so that it survives every move.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/style/source_tree.h"

namespace nmt::style {

struct Question {
  std::string text;
  std::string file;
  std::string symbol;
};

// The rows below the heading "## Where is ...", `| question | `file` | `symbol` |`.
std::vector<Question> parse_questions(std::string_view page);

// "where is X: FILE does not exist", "... FILE has no SYMBOL": as a word of its own.
std::vector<std::string> question_problems(std::span<const Question> questions,
                                           std::span<const SourceFile> files);

}  // namespace nmt::style
