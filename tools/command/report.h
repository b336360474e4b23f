// SPDX-License-Identifier: BSD-3-Clause
//
// What a command has to say: once, in every form that its caller may ask for.
//
// The work of a command ends with a Report; how it is printed (text, JSON, CSV) is decided outside
// (tools/command/command.h). A report may carry a problem and still say what was found: a profile
// that is partly measured is printed, and the exit code tells.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "tools/command/records.h"
#include "tools/command/text.h"

namespace nmt {

struct Problem {
  Problem(Fault fault, std::string text)
      : exit_code(static_cast<int>(fault)), message(std::move(text)) {}
  static Problem signal(int number, std::string text) {
    Problem problem(Fault::kFailed, std::move(text));
    problem.exit_code = 128 + number;
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
  // The bytes of a file, for standard output in place of the text, which then goes to standard
  // error: what a redirection makes of it is that file.
  std::string file_content;
  std::optional<Problem> problem;
  std::vector<std::string> warnings;  // on standard error, whatever the form
  bool silent = false;                // another process of the job says it all
};

}  // namespace nmt
