// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcasts 5000 bytes from one rank after the other, three times, and checks them. Then rank 0
// prints what a control variable (MPI_T) is, and how many messages it has sent to the last rank in
// one more broadcast from itself, where Open MPI counts them (pml_monitoring_enable).
//
//   library_calls VARIABLE [threads]
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kBytes = 5000, kRanksMax = 64 };

static int rank, size;

static int bcast(int root) {
  static unsigned char bytes[kBytes];
  memset(bytes, rank == root ? root + 1 : 0, sizeof bytes);
  MPI_Bcast(bytes, kBytes, MPI_BYTE, root, MPI_COMM_WORLD);
  int good = 1;
  for (int i = 0; i < kBytes; ++i) good = good && bytes[i] == root + 1;
  return good;
}

static int value_of(const char* name) {
  int index = 0, count = 0, value[16] = {-1};
  MPI_T_cvar_handle handle;
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return -1;
  if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) return -1;
  MPI_T_cvar_read(handle, value);
  MPI_T_cvar_handle_free(&handle);
  return value[0];
}

static void count_messages(void) {
#ifdef OPEN_MPI
  int index = 0, count = 0;
  size_t before[kRanksMax] = {0}, after[kRanksMax] = {0};
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_T_pvar_session session;
  MPI_T_pvar_handle handle;
  const int counts =
      MPI_T_pvar_get_index("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, &index) ==
          MPI_SUCCESS &&
      MPI_T_pvar_session_create(&session) == MPI_SUCCESS &&
      MPI_T_pvar_handle_alloc(session, index, &world, &handle, &count) == MPI_SUCCESS &&
      count == size;
  if (counts) MPI_T_pvar_start(session, handle);
  const int begun = counts && MPI_T_pvar_read(session, handle, before) == MPI_SUCCESS;
  bcast(0);
  if (!begun || MPI_T_pvar_read(session, handle, after) != MPI_SUCCESS) return;
  if (rank == 0) {
    printf("messages to the last rank: %d\n", (int)(after[size - 1] - before[size - 1]));
  }
#endif
}

int main(int argc, char** argv) {
  int level = 0, good = 1, all = 0;
  const int threads = argc > 2 && strcmp(argv[2], "threads") == 0;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 3; ++i) good = bcast(i % size) && good;
  PMPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) printf("%s\n", all ? "good" : "wrong");
  if (rank == 0 && argc > 1) printf("variable afterwards: %d\n", value_of(argv[1]));
  count_messages();
  MPI_T_finalize();
  MPI_Finalize();
  return !all;
}
