// SPDX-License-Identifier: BSD-3-Clause
//
// Prints how many leaders of a node libnmadtune-mpi.so could take beside one: leaders LIBRARY
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

#include "collectives/collectives.h"

int main(int argc, char** argv) {
  int rank = 0, count = -1;
  uint32_t numbers[4] = {0};
  int (*ask)(uint32_t*, int) = NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library != NULL) *(void**)&ask = dlsym(library, NMT_COLLECTIVES_LEADERS_SYMBOL);
  if (ask != NULL) count = ask(numbers, 4);
  for (int i = 0; rank == 0 && i < count; ++i) printf("%u\n", numbers[i]);
  MPI_Finalize();
  return count < 0;
}
