// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded: rank 1 has another version of the MPI than the other ranks. RTLD_NEXT is the MPI: this
// stands before it, under both of its names.
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

int MPI_Get_library_version(char* version, int* length);
int PMPI_Get_library_version(char* version, int* length);

int PMPI_Get_library_version(char* version, int* length) {
  int (*own)(char*, int*) = (int (*)(char*, int*))dlsym(RTLD_NEXT, "PMPI_Get_library_version");
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  const int code = own(version, length);
  if (rank == NULL) rank = getenv("PMI_RANK");
  if (rank != NULL && strcmp(rank, "1") == 0) {
    while (!isdigit((unsigned char)*version)) ++version;
    *version = '9';
  }
  return code;
}

int MPI_Get_library_version(char* version, int* length) {
  return PMPI_Get_library_version(version, length);
}
