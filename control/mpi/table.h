// SPDX-License-Identifier: BSD-3-Clause
//
// What an MPI does for a job of ours, without any MPI's types: a table of functions that a loadable
// module fills in.
//
// Binaries of ours link no MPI. The module is compiled once for each MPI that is installed
// (control/mpi/module.c), and the one of the MPI that launched the process is loaded
// (control/mpi_job.h). C, since it is a boundary between separately built objects. What works on a
// group is called by all its ranks, as in MPI; group 0 is all ranks. An error of MPI ends the job,
// as MPI's default is.
//
// Beside it:
//   module   the functions of the table, by calls of one MPI
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nmt_mpi_table {
  uint32_t struct_bytes;
  void (*start)(void);
  void (*finish)(void);
  void (*abort)(int code);
  const char* (*library)(void);  // its name and version
  int (*rank)(void);
  int (*size)(void);
  void (*nodes)(int* of_ranks);  // the lowest rank of the same shared memory, for each rank
  // Some ranks, in their order, under a number of their own; everybody calls it.
  int (*group)(const int* ranks, int count);
  int (*group_rank)(int group);  // -1: not in it
  void (*barrier)(int group);
  // Whoever waits for it gives its core away: there may be more ranks than cores.
  void (*broadcast)(void* bytes, uint64_t size_bytes);              // from rank 0 to all
  void (*gather)(const void* from, void* to, uint64_t size_bytes);  // of each, at rank 0
  void (*least_and_most)(int group, double* least, double* most);
  void (*send)(const void* bytes, uint64_t size_bytes, int to);
  void (*receive)(void* bytes, uint64_t size_bytes, int from);
  // Sends while nobody asks for it yet: whether it has gone all the same after a while (eager), or
  // waits for the other end (rendezvous). Says so to the other end by post(), for it to receive
  // the message then and no sooner; returns once it has been received.
  int (*send_early)(const void* bytes, uint64_t size_bytes, int to);
  // Many messages at a time, one to and one from each of these; ends[i] is what now(context) says
  // once that from from[i] is there. `into` takes all that come.
  void (*flood)(const int* to, int sends, const int* from, int receives, const void* bytes,
                void* into, uint64_t size_bytes, double (*now)(void* context), void* context,
                double* ends);
  // Talk between two ranks, beside the messages above: post() copies and never waits; arrived() is
  // the size of what take() would give, -1 where nothing has come. Both may be called at any time.
  void (*post)(const void* bytes, uint64_t size_bytes, int to);
  int64_t (*arrived)(int from);
  void (*take)(void* bytes, uint64_t size_bytes, int from);
  // size_bytes for each of the group, below 2^31: by the MPI's own MPI_Alltoall, and by direct
  // exchange (paper "alltoall contention", Algorithm 1).
  void (*alltoall)(int group, const void* from, void* to, uint64_t size_bytes);
  void (*exchange)(int group, const void* from, void* to, uint64_t size_bytes);
  // The MPI's own collective of this name, from rank 0 where it has a root; reductions add floats,
  // so that their sizes are multiples of four. `size_bytes` is what one rank gives, or the root.
  // 0: it has no such operation here. Buffers take size_bytes for each rank of the group.
  int (*collective)(const char* operation, int group, const void* from, void* to,
                    uint64_t size_bytes);
  // The MPI's own control variables (MPI_T). The value as text: its length, or -1 where there is
  // no such variable. Setting one, a whole number: 0 where it cannot be set any more.
  int (*variable)(const char* name, char* value, int value_bytes_max);
  int (*set_variable)(const char* name, int value);
} nmt_mpi_table;

// The module's one symbol.
#define NMT_MPI_MODULE_SYMBOL "nmt_mpi_module"
const nmt_mpi_table* nmt_mpi_module(void);

#ifdef __cplusplus
}
#endif
