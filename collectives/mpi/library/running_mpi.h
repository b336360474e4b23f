// SPDX-License-Identifier: BSD-3-Clause
//
// The MPI that this process runs under.
#pragma once

#include <string>

namespace nmt::collectives {

std::string mpi_name();  // as profiles store it (core/mpi_name.h)

}  // namespace nmt::collectives
