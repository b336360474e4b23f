// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample in a job that an MPI launched: rank 0 leads, keeps the profile and reports; the
// others take part, and say nothing.
#pragma once

#include <string>

#include "tools/command/command.h"
#include "tools/sample/options.h"

namespace nmt {

// The MPI to use: what --mpi says, else what launched this process; empty where neither.
std::string mpi_of(const SampleOptions& options);

Report sample_in_job(const SampleOptions& options, const Invocation& invocation,
                     const std::string& mpi);

}  // namespace nmt
