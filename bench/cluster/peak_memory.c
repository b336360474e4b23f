// SPDX-License-Identifier: BSD-3-Clause
//
// Usage: peak_memory FOLDER COMMAND...   as a rank of an MPI
//
// Runs the command and writes the bytes that it held at most into FOLDER/RANK.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  if (argc < 3 || rank == NULL) return 2;
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return 1;
  char name[PATH_MAX];
  snprintf(name, sizeof name, "%s/%s", argv[1], rank);
  FILE* file = fopen(name, "w");
  if (file == NULL || fprintf(file, "%ld\n", usage.ru_maxrss * 1024) < 0 || fclose(file) != 0) {
    return 1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
