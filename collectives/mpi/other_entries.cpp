// SPDX-License-Identifier: BSD-3-Clause
//
// The C functions of collectives that are only measured for the report: blocking ones are timed,
// the others counted. It includes the non-blocking and the persistent forms of those
// that can be replaced.
#include "collectives/mpi/next_definition.h"
#include "collectives/mpi/report/call_description.h"

using namespace nmt::collectives;

#define NMT_ENTRY extern "C" __attribute__((visibility("default"))) int
#define NMT_LIST(...) __VA_ARGS__

// MPI_`name`, with the arguments in parentheses, followed by the parameters.
#define NMT_NONBLOCKING(name, Describe, arguments, ...)                                \
  NMT_ENTRY MPI_##name(__VA_ARGS__, MPI_Request* request) {                            \
    return counted([&] { return Describe::of arguments; },                             \
                   [&] { return NMT_NEXT(MPI_##name)(NMT_LIST arguments, request); }); \
  }
#if MPI_VERSION >= 4
#define NMT_PERSISTENT(name, Describe, arguments, ...)                                       \
  NMT_ENTRY MPI_##name(__VA_ARGS__, MPI_Info info, MPI_Request* request) {                   \
    return counted([&] { return persistent(Describe::of arguments); },                       \
                   [&] { return NMT_NEXT(MPI_##name)(NMT_LIST arguments, info, request); }); \
  }
#else
#define NMT_PERSISTENT(...)
#endif
#define NMT_TIMED(name, Describe, arguments, ...)                 \
  NMT_ENTRY MPI_##name(__VA_ARGS__) {                             \
    return timed([&] { return Describe::of arguments; },          \
                 [&] { return NMT_NEXT(MPI_##name) arguments; }); \
  }
// MPI_I`lower` and MPI_`name`_init; and MPI_`name`.
#define NMT_COUNTED(name, lower, suffix, ...)    \
  NMT_NONBLOCKING(I##lower##suffix, __VA_ARGS__) \
  NMT_PERSISTENT(name##_init##suffix, __VA_ARGS__)
#define NMT_BOTH(name, lower, suffix, ...) \
  NMT_TIMED(name##suffix, __VA_ARGS__)     \
  NMT_COUNTED(name, lower, suffix, __VA_ARGS__)

#define NMT_OTHER_ENTRIES(suffix, Count, Locality)                                                 \
  NMT_COUNTED(Bcast, bcast, suffix, DescribeBcast, (buffer, count, type, root, comm),              \
              void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm)               \
  NMT_COUNTED(Reduce, reduce, suffix, DescribeReduce,                                              \
              (send, receive, count, type, op, root, comm), const void* send, void* receive,       \
              Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)                  \
  NMT_COUNTED(Allreduce, allreduce, suffix, DescribeAllreduce,                                     \
              (send, receive, count, type, op, comm), const void* send, void* receive,             \
              Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)                            \
  NMT_COUNTED(Allgather, allgather, suffix, DescribeAllgather,                                     \
              (send, count, type, receive, receive_count, receive_type, comm), const void* send,   \
              Count count, MPI_Datatype type, void* receive, Count receive_count,                  \
              MPI_Datatype receive_type, MPI_Comm comm)                                            \
  NMT_BOTH(Scan, scan, suffix, DescribeScan, (send, receive, count, type, op, comm),               \
           const void* send, void* receive, Count count, MPI_Datatype type, MPI_Op op,             \
           MPI_Comm comm)                                                                          \
  NMT_BOTH(Exscan, exscan, suffix, DescribeExscan, (send, receive, count, type, op, comm),         \
           const void* send, void* receive, Count count, MPI_Datatype type, MPI_Op op,             \
           MPI_Comm comm)                                                                          \
  NMT_COUNTED(Reduce_scatter_block, reduce_scatter_block, suffix, DescribeReduceScatterBlock,      \
              (send, receive, count, type, op, comm), const void* send, void* receive,             \
              Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)                            \
  NMT_COUNTED(Reduce_scatter, reduce_scatter, suffix, DescribeReduceScatter,                       \
              (send, receive, counts, type, op, comm), const void* send, void* receive,            \
              const Count counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm)                   \
  NMT_COUNTED(Gather, gather, suffix, DescribeGather,                                              \
              (send, count, type, receive, receive_count, receive_type, root, comm),               \
              const void* send, Count count, MPI_Datatype type, void* receive,                     \
              Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm)             \
  NMT_BOTH(Gatherv, gatherv, suffix, DescribeGatherv,                                              \
           (send, count, type, receive, counts, places, receive_type, root, comm),                 \
           const void* send, Count count, MPI_Datatype type, void* receive, const Count counts[],  \
           const Locality places[], MPI_Datatype receive_type, int root, MPI_Comm comm)            \
  NMT_COUNTED(Scatter, scatter, suffix, DescribeScatter,                                           \
              (send, count, type, receive, receive_count, receive_type, root, comm),               \
              const void* send, Count count, MPI_Datatype type, void* receive,                     \
              Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm)             \
  NMT_BOTH(Scatterv, scatterv, suffix, DescribeScatterv,                                           \
           (send, counts, places, type, receive, count, receive_type, root, comm),                 \
           const void* send, const Count counts[], const Locality places[], MPI_Datatype type,     \
           void* receive, Count count, MPI_Datatype receive_type, int root, MPI_Comm comm)         \
  NMT_COUNTED(Allgatherv, allgatherv, suffix, DescribeAllgatherv,                                  \
              (send, count, type, receive, counts, places, receive_type, comm), const void* send,  \
              Count count, MPI_Datatype type, void* receive, const Count counts[],                 \
              const Locality places[], MPI_Datatype receive_type, MPI_Comm comm)                   \
  NMT_COUNTED(Alltoall, alltoall, suffix, DescribeAlltoall,                                        \
              (send, count, type, receive, receive_count, receive_type, comm), const void* send,   \
              Count count, MPI_Datatype type, void* receive, Count receive_count,                  \
              MPI_Datatype receive_type, MPI_Comm comm)                                            \
  NMT_COUNTED(                                                                                     \
      Alltoallv, alltoallv, suffix, DescribeAlltoallv,                                             \
      (send, counts, places, type, receive, receive_counts, receive_places, receive_type, comm),   \
      const void* send, const Count counts[], const Locality places[], MPI_Datatype type,          \
      void* receive, const Count receive_counts[], const Locality receive_places[],                \
      MPI_Datatype receive_type, MPI_Comm comm)                                                    \
  NMT_BOTH(                                                                                        \
      Alltoallw, alltoallw, suffix, DescribeAlltoallw,                                             \
      (send, counts, places, types, receive, receive_counts, receive_places, receive_types, comm), \
      const void* send, const Count counts[], const Locality places[], const MPI_Datatype types[], \
      void* receive, const Count receive_counts[], const Locality receive_places[],                \
      const MPI_Datatype receive_types[], MPI_Comm comm)

NMT_COUNTED(Barrier, barrier, , DescribeBarrier, (comm), MPI_Comm comm)
NMT_OTHER_ENTRIES(, int, int)
#if MPI_VERSION >= 4
NMT_OTHER_ENTRIES(_c, MPI_Count, MPI_Aint)
#endif

#ifndef OPEN_MPI
// MPICH's mpi_f08 calls PMPI for functions without a buffer. Handles are the same numbers there.
extern "C" __attribute__((visibility("default"))) void mpi_ibarrier_f08_(MPI_Fint* comm,
                                                                         MPI_Fint* request,
                                                                         MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = MPI_Ibarrier(PMPI_Comm_f2c(*comm), &made);
  if (code == MPI_SUCCESS) *request = PMPI_Request_c2f(made);
  if (error != nullptr) *error = code;
}
#endif
