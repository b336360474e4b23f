// SPDX-License-Identifier: BSD-3-Clause
//
//   mpi_variable MODULE NAME
//
// Prints how long the text of this control variable of the MPI is, and what it begins with, as the
// module reads it.
#include <dlfcn.h>
#include <stdio.h>

#include "control/mpi/table.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  char value[16] = "";
  void* module = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (module == NULL) {
    fputs(dlerror(), stderr);
    return 1;
  }
  const nmt_mpi_table* (*find)(void) = NULL;
  *(void**)&find = dlsym(module, NMT_MPI_MODULE_SYMBOL);
  if (find == NULL) return 1;
  find()->start();
  const int length = find()->variable(argv[2], value, sizeof value);
  printf("%s: %d bytes: %s\n", argv[2], length, value);
  fflush(stdout);
  find()->finish();
  return 0;
}
