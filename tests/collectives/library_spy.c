// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded above libnmadtune-mpi.so: prints what a control variable (MPI_T), whose name is in
// NMT_SPY_VARIABLE, is at each broadcast of 5000 bytes by that library, and while it duplicates a
// communicator. With NMT_SPY_FAILS the duplication fails on rank 1; with NMT_SPY_NO_TOOLS, MPI_T is
// switched off for that library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int value(void) {
  int index = 0, count = 0, level = 0, value[16] = {-1};
  MPI_T_cvar_handle handle;
  const char* name = getenv("NMT_SPY_VARIABLE");
  if (name == NULL || PMPI_T_init_thread(MPI_THREAD_SINGLE, &level) != MPI_SUCCESS) return -1;
  if (PMPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return -1;
  if (PMPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) return -1;
  PMPI_T_cvar_read(handle, value);
  PMPI_T_cvar_handle_free(&handle);
  return value[0];
}

int PMPI_T_init_thread(int required, int* provided) {
  int (*next)(int, int*);
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_T_init_thread");
  return getenv("NMT_SPY_NO_TOOLS") != NULL ? MPI_ERR_OTHER : next(required, provided);
}

static int rank(void) {
  int own = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &own);
  return own;
}

int PMPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  int (*next)(void*, int, MPI_Datatype, int, MPI_Comm);
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Bcast");
  if (count == 5000 && rank() == 0) {
    int size = 0;
    PMPI_Comm_size(comm, &size);
    fprintf(stderr, "spy: bcast of %d ranks while it is %d, %s\n", size, value(),
            comm == MPI_COMM_WORLD ? "there" : "elsewhere");
  }
  return next(buffer, count, type, root, comm);
}

int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* copy) {
  int (*next)(MPI_Comm, MPI_Info, MPI_Comm*);
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Comm_dup_with_info");
  if (rank() == 0) fprintf(stderr, "spy: duplicated while it is %d\n", value());
  const int code = next(comm, info, copy);
  return getenv("NMT_SPY_FAILS") != NULL && rank() == 1 ? MPI_ERR_OTHER : code;
}
