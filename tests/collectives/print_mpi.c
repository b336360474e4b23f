// SPDX-License-Identifier: BSD-3-Clause
//
// Prints the name and version of the MPI as profiles store it.
#include <mpi.h>
#include <stdio.h>

#include "core/mpi_name.h"

int main(void) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  shorten_to_mpi_name(text);
  fputs(text, stdout);
  return 0;
}
