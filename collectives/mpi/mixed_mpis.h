// SPDX-License-Identifier: BSD-3-Clause
//
// Whether this library, the MPI of its process and the launcher of the job belong together. Where
// they do not, handles of one MPI reach functions of another, or each rank is a job of its own.
#pragma once

#include <string>

namespace nmt::collectives {

// Ends this process, with the reason, if the library is built for another MPI than the program: the
// two have handles of different sizes, so calls could not even be handed on. The first process that
// a launcher has started prints it. Calls no function of the MPI that has a handle.
void end_under_another_mpi() noexcept;

// For a job of one rank: why its launcher meant another; empty if it did not, or on all processes
// but the launcher's first.
std::string why_alone();

}  // namespace nmt::collectives
