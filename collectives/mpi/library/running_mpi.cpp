// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/library/running_mpi.h"

#include <mpi.h>

#include <cstddef>

#include "core/mpi_name.h"

namespace nmt::collectives {
namespace {

constexpr std::size_t kVersionBytesMax = 8192;  // of the MPI that writes the most

}  // namespace

std::string mpi_name() {
  char text[kVersionBytesMax] = "";
  int length = 0;
  PMPI_Get_library_version(text, &length);
  shorten_to_mpi_name(text);
  return text;
}

}  // namespace nmt::collectives
