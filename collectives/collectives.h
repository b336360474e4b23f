// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the collectives. libnmadtune-mpi.so replaces functions of an MPI; this header is what it
// offers to our binaries that load it in a job.
//
// They link no MPI (control/control.h). The library for the MPI that launched them is in the folder
// of its module, and has a few symbols more than the functions that it replaces. C, because it is a
// boundary between separately built objects.
//
// In reading order:
//   mpi/                 the functions that replace an MPI's, and the algorithms
//   advice               when to replace an operation, and how, according to the profile
//   merged_ranges        ranges of numbers, joined where they meet
//   tree                 spanning trees over the leaders
//   locality             where this process runs
//   used_cards           which network cards the MPI uses
//   node_shared_memory   copies data between the ranks of one node
//   node_exchange        which messages nodes exchange in an alltoall, and what is in them
//   group_exchange       how the ranks of a node fill, send, receive and empty these messages
//   rank_rounds          in which order ranks exchange messages of their own in an alltoall
//   counter              a shared number that grows, and ranks that wait for it
//   device_memory        whether a buffer is in the memory of a device
//   look_rarely          which calls are looked at, where no rank knows a call's size alone
//   call_record          what a rank records of the collectives that a program calls
//   call_report          where the time in collectives went, printed when MPI ends
//   profile_durations    durations of the MPI's collectives and of ours, from samples
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nmt_collective_play {
  uint32_t struct_bytes;
  int32_t root;
  const char* operation;  // "bcast" of bytes; "reduce", "allreduce", "reduce_scatter_block",
                          // "reduce_scatter": sums of doubles; or "allgather", "allgatherv",
                          // "alltoall", "alltoallv", "barrier", "gather", "scatter"
  // "chain" ...; "library": what the MPI chooses; "library:NAME": the one that it calls NAME
  const char* algorithm;
  // Of the message; of one rank's block for an allgather, a gather, a scatter and a
  // reduce_scatter_block; of one rank's data for each other rank, for an alltoall. For an
  // allgatherv and a reduce_scatter, the mean of the blocks: of n ranks, rank r has 2 r / (n - 1)
  // times as much. For an alltoallv, the mean too: by an order of the ranks that is drawn at random
  // from `root`, each sends 2 k / (n - 1) times as much to the k-th after it, and nothing to
  // itself; its blocks follow each other. For a barrier, 0.
  uint64_t size_bytes;
  uint64_t segment_bytes;
  uint32_t leaders;  // per node (HierarchyOptions); 0: one
  uint32_t reserved;
  const void* from;
  void* to;  // for a bcast also the source
} nmt_collective_play;

// Called by all ranks of MPI_COMM_WORLD or of nmt_play_within(), after MPI_Init. Returns 0; 1:
// unknown operation or algorithm; 2: an error of MPI or of this node, which has been printed.
#define NMT_COLLECTIVES_LIBRARY "libnmadtune-mpi.so"
#define NMT_COLLECTIVES_SYMBOL "nmt_play_collective"
int nmt_play_collective(const nmt_collective_play* play);

// Called by these ranks of MPI_COMM_WORLD: from now on, they play within them only, numbered in
// this order. Returns as above.
#define NMT_COLLECTIVES_WITHIN_SYMBOL "nmt_play_within"
int nmt_play_within(const int* ranks, int count);

// Called by all ranks: values for `leaders` other than 1. Returns their number; writes the first
// `capacity` of them. Negative: an error of MPI.
#define NMT_COLLECTIVES_LEADERS_SYMBOL "nmt_collective_leaders"
int nmt_collective_leaders(uint32_t* leaders, int capacity);

// Called by all ranks: which other algorithms the MPI has for an operation, as far as they can be
// set on all ranks (mpi/library/library_algorithms.h). Writes the MPI's names of them, separated by
// commas, and returns the length. Negative: an error of MPI, or too little space.
#define NMT_COLLECTIVES_ALGORITHMS_SYMBOL "nmt_collective_algorithms"
int nmt_collective_algorithms(const char* operation, char* names, int names_bytes_max);

#ifdef __cplusplus
}
#endif
