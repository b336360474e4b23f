// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a command that launches a job, with settings in its environment, until it ends.
//
// The launcher is text as in a shell; the program is given as words. The launcher gets its own
// process group, which ends with this call in any case.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/fields.h"

namespace nmt::sampler {

struct JobCommand {
  std::string launcher;              // "mpirun -n 2"
  std::vector<std::string> program;  // with its arguments
  Fields environment;                // added to this process's own
  double timeout_ns = 300e9;         // after it, the job counts as hanging
  std::function<bool()> interrupted = {};
};

struct Launched {
  std::string out;
  double elapsed_ns = 0;
};

// If the job fails, hangs or is interrupted: Error(kFailed) with the end of its standard error.
Launched launch(const JobCommand& what);

}  // namespace nmt::sampler
