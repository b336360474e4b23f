// SPDX-License-Identifier: BSD-3-Clause
//
// SimGrid's MPI as collectives/mpi takes it, before each of those files. A look at a request takes
// simulated time there, and thousands of looks real time; so a look lasts until the request is
// done.
#pragma once

#include <smpi_helpers.h>

#include <mpi.h>

#define PMPI_Test(request, done, status) (*(done) = 1, PMPI_Wait(request, status))
