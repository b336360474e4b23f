// SPDX-License-Identifier: BSD-3-Clause
//
// Usage: after_init FOLDER
//
// Writes the bytes that a rank holds after MPI_Init into FOLDER/RANK.
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  long pages = 0, resident = 0;
  FILE* own = fopen("/proc/self/statm", "r");
  if (argc != 2 || own == NULL || fscanf(own, "%ld %ld", &pages, &resident) != 2) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  char name[PATH_MAX];
  snprintf(name, sizeof name, "%s/%d", argv[1], rank);
  FILE* file = fopen(name, "w");
  if (file == NULL || fprintf(file, "%ld\n", resident * sysconf(_SC_PAGESIZE)) < 0 ||
      fclose(file) != 0) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
