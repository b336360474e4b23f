// SPDX-License-Identifier: BSD-3-Clause
//
// SimGrid's MPI as collectives/mpi takes it, before each of those files. Where a rank does nothing
// but wait (NMT_LOOKS_WAIT), thousands of looks at a request take real time, and no simulated time
// passes meanwhile; so a look lasts until the request is done. Elsewhere a rank has work to do
// instead, and a look tells whether the request is done.
#pragma once

#include <smpi_helpers.h>

#include <mpi.h>

#ifdef NMT_LOOKS_WAIT
#define PMPI_Test(request, done, status) (*(done) = 1, PMPI_Wait(request, status))
#endif
