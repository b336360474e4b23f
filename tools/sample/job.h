// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample in a job that an MPI launched: rank 0 leads, stores the profile and reports; the
// other ranks take part without output.
#pragma once

#include <string>

#include "tools/command/command.h"
#include "tools/sample/options.h"

namespace nmt::tools {

// The MPI to use: from --mpi, else the one that launched this process; empty if neither.
std::string mpi_of(const SampleOptions& options);

Report sample_in_job(const SampleOptions& options, const Invocation& invocation,
                     const std::string& mpi);

}  // namespace nmt::tools
