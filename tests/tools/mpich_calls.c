// SPDX-License-Identifier: BSD-3-Clause
//
// A program of MPICH over UCX that shows which algorithms it takes: by the messages that rank 0
// sends for a collective, whose sizes tell them apart. Or calls every collective there is, which a
// table without a case for one of them does not survive.
//
//   mpich_calls OPERATION BYTES...
//   mpich_calls every
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMessagesMax = 64, kBytesMax = 1 << 22, kRanksMax = 16 };

static size_t messages[kMessagesMax];
static int sent;

typedef void* send_function(void*, const void*, size_t, uint64_t, const void*);

// In the place of UCX's own, which MPICH calls for every message.
void* ucp_tag_send_nbx(void* end, const void* from, size_t count, uint64_t tag, const void* how) {
  send_function* next = (send_function*)dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
  if (sent < kMessagesMax) messages[sent] = count;
  ++sent;
  return next(end, from, count, tag, how);
}

static char *from, *to;

static void call(const char* operation, int bytes, MPI_Comm comm) {
  const int floats = bytes / (int)sizeof(float);
  if (strcmp(operation, "bcast") == 0) MPI_Bcast(to, floats, MPI_FLOAT, 0, comm);
  if (strcmp(operation, "reduce") == 0) MPI_Reduce(from, to, floats, MPI_FLOAT, MPI_SUM, 0, comm);
  if (strcmp(operation, "allreduce") == 0) {
    MPI_Allreduce(from, to, floats, MPI_FLOAT, MPI_SUM, comm);
  }
  if (strcmp(operation, "allgather") == 0) {
    MPI_Allgather(from, floats, MPI_FLOAT, to, floats, MPI_FLOAT, comm);
  }
  if (strcmp(operation, "alltoall") == 0) {
    MPI_Alltoall(from, floats, MPI_FLOAT, to, floats, MPI_FLOAT, comm);
  }
}

static void show(const char* operation, int bytes, int rank) {
  call(operation, bytes, MPI_COMM_WORLD);  // connections are made
  MPI_Barrier(MPI_COMM_WORLD);
  sent = 0;
  call(operation, bytes, MPI_COMM_WORLD);
  if (rank != 0) return;
  printf("%s %d:", operation, bytes);
  for (int i = 0; i < sent && i < kMessagesMax; ++i) printf(" %zu", messages[i]);
  printf(".\n");
  fflush(stdout);
}

// Not commutative, and not MPI's own: the second one, if there is any.
static void take_second(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)inout, (void)count, (void)type;
}

static void every_of_a_group(int floats, MPI_Comm comm) {
  int ranks, counts[kRanksMax], places[kRanksMax];
  MPI_Datatype types[kRanksMax];
  MPI_Op own;
  const MPI_Datatype type = MPI_FLOAT;
  MPI_Comm_size(comm, &ranks);
  for (int i = 0; i < ranks; ++i) counts[i] = floats, places[i] = i * floats, types[i] = type;
  MPI_Op_create(take_second, 0, &own);
  MPI_Barrier(comm);
  MPI_Bcast(to, floats, type, ranks - 1, comm);
  MPI_Reduce(from, to, floats, type, MPI_SUM, ranks - 1, comm);
  MPI_Reduce(from, to, floats, type, own, 0, comm);
  MPI_Allreduce(from, to, floats, type, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, to, floats, type, own, comm);
  MPI_Allgather(from, floats, type, to, floats, type, comm);
  MPI_Allgather(MPI_IN_PLACE, 0, type, to, floats, type, comm);
  MPI_Allgatherv(from, floats, type, to, counts, places, type, comm);
  MPI_Alltoall(from, floats, type, to, floats, type, comm);
  MPI_Alltoall(MPI_IN_PLACE, 0, type, to, floats, type, comm);
  MPI_Alltoallv(from, counts, places, type, to, counts, places, type, comm);
  MPI_Gather(from, floats, type, to, floats, type, 0, comm);
  MPI_Gatherv(from, floats, type, to, counts, places, type, 0, comm);
  MPI_Scatter(from, floats, type, to, floats, type, 0, comm);
  MPI_Scatterv(from, counts, places, type, to, floats, type, 0, comm);
  MPI_Scan(from, to, floats, type, MPI_SUM, comm);
  MPI_Exscan(from, to, floats, type, MPI_SUM, comm);
  MPI_Reduce_scatter(from, to, counts, type, MPI_SUM, comm);
  MPI_Reduce_scatter_block(from, to, floats, type, own, comm);
  for (int i = 0; i < ranks; ++i) places[i] *= (int)sizeof(float);
  MPI_Alltoallw(from, counts, places, types, to, counts, places, types, comm);
  MPI_Op_free(&own);
}

static void every_in_the_background(int floats, MPI_Comm comm) {
  MPI_Request all[8];
  MPI_Status ends[8];
  const MPI_Datatype type = MPI_FLOAT;
  char* into[8];
  for (int i = 0; i < 8; ++i) into[i] = to + i * (kBytesMax / 8);
  MPI_Ibarrier(comm, &all[0]);
  MPI_Ibcast(into[1], floats, type, 0, comm, &all[1]);
  MPI_Ireduce(from, into[2], floats, type, MPI_SUM, 0, comm, &all[2]);
  MPI_Iallreduce(from, into[3], floats, type, MPI_SUM, comm, &all[3]);
  MPI_Iallgather(from, floats, type, into[4], floats, type, comm, &all[4]);
  MPI_Ialltoall(from, floats, type, into[5], floats, type, comm, &all[5]);
  MPI_Igather(from, floats, type, into[6], floats, type, 0, comm, &all[6]);
  MPI_Iscan(from, into[7], floats, type, MPI_SUM, comm, &all[7]);
  MPI_Waitall(8, all, ends);
}

static void every_between_groups(int floats, int rank, MPI_Comm half) {
  MPI_Comm between;
  const MPI_Datatype type = MPI_FLOAT;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 == 0 ? 1 : 0, 7, &between);
  MPI_Barrier(between);
  MPI_Allreduce(from, to, floats, type, MPI_SUM, between);
  MPI_Allgather(from, floats, type, to, floats, type, between);
  MPI_Alltoall(from, floats, type, to, floats, type, between);
  MPI_Bcast(to, floats, type, rank == 0 ? MPI_ROOT : rank % 2 == 0 ? MPI_PROC_NULL : 0, between);
  MPI_Comm_free(&between);
}

// That the right bytes came is for MPICH's own tests; one sum of all shows that it ran at all.
static int every(int rank, int ranks) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  for (int floats = 1; floats <= 1 << 14; floats *= 4) {
    for (int more = -1; more <= 1; ++more) {
      if (floats + more < 1) continue;
      every_of_a_group(floats + more, MPI_COMM_WORLD);
      every_of_a_group(floats + more, half);
      every_of_a_group(floats + more, MPI_COMM_SELF);
      every_in_the_background(floats + more, MPI_COMM_WORLD);
      every_between_groups(floats + more, rank, half);
    }
  }
  MPI_Comm_free(&half);
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(sum == ranks ? "every collective ran\n" : "a wrong sum\n");
  return sum == ranks ? 0 : 1;
}

int main(int argc, char** argv) {
  int rank, ranks, failed = 0;
  MPI_Init(&argc, &argv);
  alarm(120);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  from = calloc(1, kBytesMax);
  to = calloc(1, kBytesMax);
  if (argc == 2 && strcmp(argv[1], "every") == 0) failed = every(rank, ranks);
  for (int i = 2; i < argc; ++i) show(argv[1], atoi(argv[i]), rank);
  free(from);
  free(to);
  MPI_Finalize();
  return failed;
}
