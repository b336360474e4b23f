// SPDX-License-Identifier: BSD-3-Clause
//
// The first thing that the ranks of a job tell each other: that this library is in front of their
// MPI. A launcher may give LD_PRELOAD to some hosts only. The other ranks do what their program
// says, and must not take a message of ours for an answer to it, nor we theirs for a count.
#pragma once

#include <mpi.h>

namespace nmt::collectives {

// By all ranks of `comm`, before anything else is said there. Where this library is not in front of
// all of them, ends the job with the reason, within 20 s: what has been said so far can't be taken
// back, so the job can't go on without us. MpiFailure.
void check_loaded_everywhere(MPI_Comm comm);

}  // namespace nmt::collectives
