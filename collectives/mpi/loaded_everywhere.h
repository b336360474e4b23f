// SPDX-License-Identifier: BSD-3-Clause
//
// The first communication between the ranks of a job: whether this library is in front of the MPI
// on all of them, and the MPI of one version. A launcher may set LD_PRELOAD on some hosts only. The
// other ranks run their program: they must not receive our messages as their data, nor we their
// data as ours.
#pragma once

#include <mpi.h>

namespace nmt::collectives {

// Called by all ranks of `comm` before any other message on it. If this library is not in front of
// all of them, or their MPIs have different versions, the job ends with the reason within 20 s:
// messages that were sent cannot be taken back, so the job cannot go on without us. MpiFailure.
void check_loaded_everywhere(MPI_Comm comm);

}  // namespace nmt::collectives
