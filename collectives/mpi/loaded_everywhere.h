// SPDX-License-Identifier: BSD-3-Clause
//
// The first communication between the ranks of a job: whether this library is in front of the MPI
// on all of them, and the MPI of one version. A launcher may set LD_PRELOAD on some hosts only. The
// other ranks run their program: we must not take their data for ours. One that begins with a
// collective that does not block may take a byte of ours for its data, until the job ends, which is
// at once.
#pragma once

#include <mpi.h>

namespace nmt::collectives {

// Called by all ranks of `comm` before any other message on it. If this library is not in front of
// all of them, or their MPIs have different versions, the job ends with the reason within 20 s:
// messages that were sent cannot be taken back, so the job cannot go on without us. MpiFailure.
void check_loaded_everywhere(MPI_Comm comm);

}  // namespace nmt::collectives
