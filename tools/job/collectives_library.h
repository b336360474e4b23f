// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives by libnmadtune-mpi.so, the one that lies beside the module of the MPI that launched
// this process (collectives/collectives.h).
#pragma once

#include "control/control.h"
#include "sampler/sampler.h"

namespace nmt {

// As CollectivesOptions wants it. Error(kFailed) where there is no such library.
decltype(CollectivesOptions::play) load_collectives(const control::MpiJob& job);

}  // namespace nmt
