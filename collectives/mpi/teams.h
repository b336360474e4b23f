// SPDX-License-Identifier: BSD-3-Clause
//
// The team of a communicator: built at its first use, kept at it as an attribute, freed with it, or
// when MPI ends.
#pragma once

#include <mpi.h>

#include "collectives/mpi/team.h"

namespace nmt::collectives {

// By all ranks of an intra-communicator.
Team& team_of(MPI_Comm comm, const TeamOptions& options);

}  // namespace nmt::collectives
