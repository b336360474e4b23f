// SPDX-License-Identifier: BSD-3-Clause
//
// Running a command that launches a job, with settings in its environment, to its end.
//
// The launcher is text as a shell would take it; what it launches is given as words. It gets a
// process group of its own, which ends with this call however that ends.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/fields.h"

namespace nmt {

struct JobCommand {
  std::string launcher;              // "mpirun -n 2"
  std::vector<std::string> program;  // and its arguments
  Fields environment;                // beside this process's own
  double timeout_ns = 300e9;         // after it, the job counts as hanging
  std::function<bool()> interrupted = {};
};

struct Launched {
  std::string out;
  double elapsed_ns = 0;
};

// Error(kFailed) with the end of what it said on standard error where it fails, hangs or is
// interrupted.
Launched launch(const JobCommand& what);

}  // namespace nmt
