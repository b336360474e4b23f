// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/running_mpi.h"

#include <mpi.h>

#include "collectives/mpi/mpi_failure.h"
#include "core/mpi_name.h"

namespace nmt::collectives {

std::string mpi_name() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  check(PMPI_Get_library_version(text, &length));
  shorten_to_mpi_name(text);
  return text;
}

}  // namespace nmt::collectives
