// SPDX-License-Identifier: BSD-3-Clause
//
// What an MPI does for one of our jobs, without the types of any MPI: a table of functions that a
// loadable module fills in.
//
// Our binaries link no MPI. The module is compiled once for each installed MPI
// (control/mpi/module.c). A process loads the module of the MPI that launched it
// (control/mpi_job.h). The table is C, because it is a boundary between separately built objects.
// All ranks of a group call a function on it, as in MPI; group 0 is all ranks. An error of MPI ends
// the job, which is MPI's default.
//
// In this folder:
//   module   the functions of the table, implemented by one MPI
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
  void (*nodes)(int* of_ranks);  // for each rank, the lowest rank that shares its memory
  // Makes a group of some ranks, in this order, and returns its number. All ranks call it.
  int (*group)(const int* ranks, int count);
  // The same, with one of Open MPI's components for collectives before all others there: "tuned".
  int (*group_preferring)(const int* ranks, int count, const char* component);
  // Makes group 0 these of its ranks, in this order, so that the table means a job of them only;
  // widen() undoes it. Only these ranks call both. Other groups must not be used in between.
  void (*narrow)(const int* ranks, int count);
  void (*widen)(void);
  int (*group_rank)(int group);  // -1: not in it
  void (*barrier)(int group);
  // Waiting ranks sleep, because there may be more ranks than cores.
  void (*broadcast)(void* bytes, uint64_t size_bytes);              // from rank 0 to all
  void (*gather)(const void* from, void* to, uint64_t size_bytes);  // of all, to rank 0
  void (*least_and_most)(int group, double* least, double* most);
  void (*send)(const void* bytes, uint64_t size_bytes, int to);
  void (*receive)(void* bytes, uint64_t size_bytes, int from);
  // Sends a message before the receiver posts its receive. Returns 1 if the send completes anyway
  // after a while (eager), 0 if it waits for the receiver (rendezvous). Sends the result by post();
  // the receiver receives the message only then. Returns once the message has been received.
  int (*send_early)(const void* bytes, uint64_t size_bytes, int to);
  // Many messages at a time: one to each of `to`, one from each of `from`. ends[i] is now(context)
  // when the message from from[i] has arrived. `into` has space for all of them.
  void (*flood)(const int* to, int sends, const int* from, int receives, const void* bytes,
                void* into, uint64_t size_bytes, double (*now)(void* context), void* context,
                double* ends);
  // Control messages between two ranks, apart from those above. post() copies and never waits.
  // arrived() is the size of the message that take() would return, or -1 if none has arrived. Both
  // may be called at any time.
  void (*post)(const void* bytes, uint64_t size_bytes, int to);
  int64_t (*arrived)(int from);
  void (*take)(void* bytes, uint64_t size_bytes, int from);
  // Texts between two ranks, apart from all of those above (control/gather.h). Both wait asleep.
  void (*hand)(const void* bytes, uint64_t size_bytes, int to);
  void (*fetch)(void* bytes, uint64_t size_bytes, int from);
  // `size_bytes`, below 2^31, to each rank of the group: by the MPI's own MPI_Alltoall, or by
  // direct exchange (paper "alltoall contention", Algorithm 1).
  void (*alltoall)(int group, const void* from, void* to, uint64_t size_bytes);
  void (*exchange)(int group, const void* from, void* to, uint64_t size_bytes);
  // The MPI's own collective of this name, with rank 0 as the root. Reductions add floats, so their
  // sizes are multiples of four. `size_bytes` is the contribution of one rank, or of the root.
  // Buffers have `size_bytes` for each rank of the group. 0: there is no such operation.
  int (*collective)(const char* operation, int group, const void* from, void* to,
                    uint64_t size_bytes);
  // The MPI's own control variables (MPI_T). variable() writes the value as text, cut to fit,
  // and returns its full length, or -1 if there is no such variable. set_variable() sets an
  // integer; 0: it cannot.
  int (*variable)(const char* name, char* value, int value_bytes_max);
  int (*set_variable)(const char* name, int value);
  // variables() lists those that the library has in use, separated by commas: what may stand for
  // the '%' of "pml_%_priority". enumeration() lists the names of a variable's values, from 0 on.
  // Both return the length, or -1 if there is none or not enough room.
  int (*variables)(const char* pattern, char* names, int names_bytes_max);
  int (*enumeration)(const char* name, char* values, int values_bytes_max);
  // 0: MPI_T is switched off or cannot be initialised, so the four functions above find nothing.
  int (*has_variables)(void);
} nmt_mpi_table;

// The module's one symbol.
#define NMT_MPI_MODULE_SYMBOL "nmt_mpi_module"
const nmt_mpi_table* nmt_mpi_module(void);

#ifdef __cplusplus
}
#endif
