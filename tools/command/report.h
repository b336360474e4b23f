// SPDX-License-Identifier: BSD-3-Clause
//
// The results of a command, once for all output forms.
//
// A command's work returns a Report; other code decides how it is printed (text, JSON, CSV)
// (tools/command/command.h). A report may have a problem and results: a partly measured profile is
// printed, and the exit code reports the problem.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "tools/command/records.h"
#include "tools/command/text.h"

namespace nmt::tools {

struct Problem {
  Problem(Fault fault, std::string text)
      : exit_code(static_cast<int>(fault)), message(std::move(text)) {}
  static Problem signal(int number, std::string text) {
    Problem problem(Fault::kFailed, std::move(text));
    problem.exit_code = 128 + number;
    return problem;
  }
  // No failure, but a finding: slower than before, beyond noise and beyond what was asked for.
  static Problem slower(std::string text) {
    Problem problem(Fault::kFailed, std::move(text));
    problem.exit_code = 8;
    return problem;
  }

  int exit_code;
  std::string message;
};

struct Report {
  json::Value payload = json::Value::object();  // members of the JSON document
  Text text;
  Records records;                                           // CSV
  std::vector<std::pair<std::string, std::string>> summary;  // last line of the text
  // The bytes of a file for standard output, instead of the text, which then goes to standard
  // error: so a redirection writes exactly that file.
  std::string file_content;
  std::optional<Problem> problem;
  std::vector<std::string> warnings;  // on standard error, for every output form
  bool silent = false;                // another process of the job reports
};

}  // namespace nmt::tools
