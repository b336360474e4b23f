// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the collectives: what libnmadtune-mpi.so, which stands in for an MPI's own functions,
// does for binaries of ours that load it in a job.
//
// They link no MPI (control/control.h); the library of the MPI that launched them lies beside its
// module, and has one symbol more than those that it stands in for. C, since it is a boundary
// between separately built objects.
//
// In reading order:
//   mpi/                 interposition into an MPI, and the algorithms
//   advice               when to replace an operation, and how, by the profile
//   tree                 spanning trees over the leaders
//   locality             where this process runs
//   node_shared_memory   what the ranks of one node copy from each other
//   counter              a shared number that grows, and ranks that wait for it
//   device_memory        whether a buffer lies in the memory of a device
//   call_record          what a rank remembers of the collectives that a program calls
//   call_report          where the time in collectives went, printed when MPI ends
//   profile_durations    how long they take by the MPI and by ours, from samples
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nmt_collective_play {
  uint32_t struct_bytes;
  int32_t root;
  const char* operation;  // "bcast" of bytes; "reduce", "allreduce": sums of doubles; "allgather"
  const char* algorithm;  // "chain" ...; "library": the MPI's own
  uint64_t size_bytes;    // of a message; of an allgather, what one rank has
  uint64_t segment_bytes;
  uint32_t leaders;  // of each node (HierarchyOptions); 0: one
  uint32_t reserved;
  const void* from;
  void* to;  // also what a bcast is from
} nmt_collective_play;

// By all ranks of MPI_COMM_WORLD, after MPI_Init. 0, or: 1 unknown operation or algorithm, 2 an
// error of MPI or of this node, which has been told.
#define NMT_COLLECTIVES_LIBRARY "libnmadtune-mpi.so"
#define NMT_COLLECTIVES_SYMBOL "nmt_play_collective"
int nmt_play_collective(const nmt_collective_play* play);

// What `leaders` could be beside 1, by all ranks: how many numbers there are, of which the first
// `capacity` are written; negative: an error of MPI.
#define NMT_COLLECTIVES_LEADERS_SYMBOL "nmt_collective_leaders"
int nmt_collective_leaders(uint32_t* leaders, int capacity);

#ifdef __cplusplus
}
#endif
