// SPDX-License-Identifier: BSD-3-Clause
//
// Loaded into the ranks of a job by LD_PRELOAD: counts what nmad-sample asks of the MPI for the
// control of a campaign, by MPI's own interface for such libraries (PMPI).
//
// At the end it writes into $NMT_COUNTS/RANK: the orders and other texts that rank 0 broadcast, and
// the messages with results that this rank sent. What the broadcasts send themselves is not seen
// here; Open MPI's monitoring counts it.
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kTextTag = 10 };  // of control/mpi/module.c: results

static long broadcasts, texts;

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
  ++broadcasts;
  return PMPI_Ibcast(buffer, count, type, root, comm, request);
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  if (tag == kTextTag) ++texts;
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Finalize(void) {
  const char* folder = getenv("NMT_COUNTS");
  int rank;
  char name[PATH_MAX];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "%s/%d", folder != NULL ? folder : ".", rank);
  FILE* file = fopen(name, "w");
  if (file == NULL || fprintf(file, "%ld %ld\n", broadcasts, texts) < 0 || fclose(file) != 0) {
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
  return PMPI_Finalize();
}
