// SPDX-License-Identifier: BSD-3-Clause
//
// ASP: all pairs' shortest paths by Floyd and Warshall, a row broadcast per step; the application
// of the paper "HierKNEM" (4.8, table 2), for an MPI's own MPI_Bcast and for one that stands in for
// it.
//
//   asp [N [STEPS]]   a graph of N nodes (1024), whose edges follow from N alone; only STEPS of its
//                     N steps, evenly spread, to see what part of a long run is which
//
// Each rank has a block of rows, so the ranks are roots in turns. Prints how long the ranks were in
// MPI_Bcast, in the mean, at least and at most, and up to 1024 nodes holds the result against a
// serial run; the exit code is 1 where it differs.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kSerialMax = 1024, kFar = 1 << 28 };

static int rank, ranks, nodes, steps;

// The node of a step.
static int pivot(int step) { return (int)((long)nodes * step / steps); }

static int first_row(int of) { return (int)((long)nodes * of / ranks); }

static int owner(int row) {
  int of = (int)((long)row * ranks / nodes);
  while (first_row(of) > row) --of;
  while (first_row(of + 1) <= row) ++of;
  return of;
}

// One edge in eight, of lengths 1 to 100.
static int edge(int from, int to) {
  unsigned mixed = (unsigned)from * 2654435761u ^ (unsigned)to * 2246822519u;
  mixed = (mixed ^ mixed >> 15) * 2654435761u;
  mixed ^= mixed >> 13;
  if (from == to) return 0;
  return mixed % 8 == 0 ? (int)(mixed / 8 % 100) + 1 : kFar;
}

static int* rows_from(int first, int last) {
  int* rows = malloc(sizeof *rows * ((size_t)(last - first) * (size_t)nodes + 1));
  if (rows == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = first; i < last; ++i) {
    for (int j = 0; j < nodes; ++j)
      rows[(size_t)(i - first) * (size_t)nodes + (size_t)j] = edge(i, j);
  }
  return rows;
}

// Paths over node k, whose row is `over`.
static void relax(int* rows, int count, const int* over, int k) {
  for (int i = 0; i < count; ++i) {
    int* row = rows + (size_t)i * (size_t)nodes;
    const int to_k = row[k];
    if (to_k >= kFar) continue;
    for (int j = 0; j < nodes; ++j) {
      const int length = to_k + over[j];
      if (length < row[j]) row[j] = length;
    }
  }
}

// Returns the time spent in MPI_Bcast.
static double solve(int* rows, int first, int count) {
  int* over = malloc(sizeof *over * (size_t)nodes);
  double spent_s = 0;
  if (over == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int step = 0; step < steps; ++step) {
    const int k = pivot(step), root = owner(k);
    if (root == rank)
      memcpy(over, rows + (size_t)(k - first) * (size_t)nodes, sizeof *over * (size_t)nodes);
    const double start_s = MPI_Wtime();
    MPI_Bcast(over, nodes, MPI_INT, root, MPI_COMM_WORLD);
    spent_s += MPI_Wtime() - start_s;
    relax(rows, count, over, k);
  }
  free(over);
  return spent_s;
}

static int differs_from_serial(const int* rows, int first, int count) {
  int* all = rows_from(0, nodes);
  int* over = malloc(sizeof *over * (size_t)nodes);
  if (over == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int step = 0; step < steps; ++step) {
    const int k = pivot(step);
    memcpy(over, all + (size_t)k * (size_t)nodes, sizeof *over * (size_t)nodes);
    relax(all, nodes, over, k);
  }
  const int differs = memcmp(all + (size_t)first * (size_t)nodes, rows,
                             sizeof *rows * (size_t)count * (size_t)nodes) != 0;
  free(over);
  free(all);
  return differs;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  nodes = argc > 1 ? atoi(argv[1]) : 1024;
  steps = argc > 2 ? atoi(argv[2]) : nodes;
  if (nodes < ranks || steps < 1 || steps > nodes) {
    if (rank == 0) {
      fprintf(stderr, "asp: at least as many nodes as ranks, 1 to N steps: asp [N [STEPS]]\n");
    }
    MPI_Finalize();
    return 2;
  }
  const int first = first_row(rank), count = first_row(rank + 1) - first;
  int* rows = rows_from(first, first + count);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  const double bcast_s = solve(rows, first, count);
  MPI_Barrier(MPI_COMM_WORLD);
  const double total_s = MPI_Wtime() - start_s;
  int wrong = nodes <= kSerialMax && differs_from_serial(rows, first, count), any = 0;
  double sum_s = 0, least_s = 0, most_s = 0;
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Reduce(&bcast_s, &sum_s, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&bcast_s, &least_s, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&bcast_s, &most_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("nodes=%d steps=%d ranks=%d bcast_s=%.3f least_s=%.3f most_s=%.3f total_s=%.3f %s\n",
           nodes, steps, ranks, sum_s / ranks, least_s, most_s, total_s,
           any                   ? "WRONG"
           : nodes <= kSerialMax ? "verified"
                                 : "unverified");
    fflush(stdout);  // also where MPI_Finalize does not return
  }
  free(rows);
  MPI_Finalize();
  return any;
}
