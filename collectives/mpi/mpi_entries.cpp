// SPDX-License-Identifier: BSD-3-Clause
//
// The C functions. Those with MPI_Count counts decide like those with int counts: some ranks of a
// call may use one and some the other.
#include "collectives/mpi/interposed.h"
#include "collectives/mpi/next_definition.h"
#include "collectives/mpi/report/call_description.h"

using namespace nmt::collectives;

#define NMT_ENTRY extern "C" __attribute__((visibility("default"))) int

NMT_ENTRY MPI_Init(int* argc, char*** argv) { return begin(NMT_NEXT(MPI_Init)(argc, argv)); }
NMT_ENTRY MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return begin(NMT_NEXT(MPI_Init_thread)(argc, argv, required, provided));
}

NMT_ENTRY MPI_Barrier(MPI_Comm comm) {
  if (const auto result = replace_barrier(comm)) return *result;
  return timed([&] { return DescribeBarrier::of(comm); },
               [&] { return NMT_NEXT(MPI_Barrier)(comm); });
}

#define NMT_ENTRIES(suffix, Count, Place)                                                          \
  NMT_ENTRY MPI_Bcast##suffix(void* buffer, Count count, MPI_Datatype type, int root,              \
                              MPI_Comm comm) {                                                     \
    if (const auto result = replace_bcast(buffer, count, type, root, comm)) return *result;        \
    return timed([&] { return DescribeBcast::of(buffer, count, type, root, comm); },               \
                 [&] { return NMT_NEXT(MPI_Bcast##suffix)(buffer, count, type, root, comm); });    \
  }                                                                                                \
  NMT_ENTRY MPI_Reduce##suffix(const void* send, void* receive, Count count, MPI_Datatype type,    \
                               MPI_Op op, int root, MPI_Comm comm) {                               \
    const auto result = replace_reduce(send, receive, count, type, op, root, comm);                \
    if (result) return *result;                                                                    \
    return timed(                                                                                  \
        [&] { return DescribeReduce::of(send, receive, count, type, op, root, comm); },            \
        [&] { return NMT_NEXT(MPI_Reduce##suffix)(send, receive, count, type, op, root, comm); }); \
  }                                                                                                \
  NMT_ENTRY MPI_Allreduce##suffix(const void* send, void* receive, Count count, MPI_Datatype type, \
                                  MPI_Op op, MPI_Comm comm) {                                      \
    const auto result = replace_allreduce(send, receive, count, type, op, comm);                   \
    if (result) return *result;                                                                    \
    return timed(                                                                                  \
        [&] { return DescribeAllreduce::of(send, receive, count, type, op, comm); },               \
        [&] { return NMT_NEXT(MPI_Allreduce##suffix)(send, receive, count, type, op, comm); });    \
  }                                                                                                \
  NMT_ENTRY MPI_Allgather##suffix(const void* send, Count send_count, MPI_Datatype send_type,      \
                                  void* receive, Count receive_count, MPI_Datatype receive_type,   \
                                  MPI_Comm comm) {                                                 \
    const auto result = replace_allgather(send, send_count, send_type, receive, receive_count,     \
                                          receive_type, comm);                                     \
    if (result) return *result;                                                                    \
    return timed(                                                                                  \
        [&] {                                                                                      \
          return DescribeAllgather::of(send, send_count, send_type, receive, receive_count,        \
                                       receive_type, comm);                                        \
        },                                                                                         \
        [&] {                                                                                      \
          return NMT_NEXT(MPI_Allgather##suffix)(send, send_count, send_type, receive,             \
                                                 receive_count, receive_type, comm);               \
        });                                                                                        \
  }                                                                                                \
  NMT_ENTRY MPI_Alltoall##suffix(const void* send, Count send_count, MPI_Datatype send_type,       \
                                 void* receive, Count receive_count, MPI_Datatype receive_type,    \
                                 MPI_Comm comm) {                                                  \
    const auto result =                                                                            \
        replace_alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm); \
    if (result) return *result;                                                                    \
    return timed(                                                                                  \
        [&] {                                                                                      \
          return DescribeAlltoall::of(send, send_count, send_type, receive, receive_count,         \
                                      receive_type, comm);                                         \
        },                                                                                         \
        [&] {                                                                                      \
          return NMT_NEXT(MPI_Alltoall##suffix)(send, send_count, send_type, receive,              \
                                                receive_count, receive_type, comm);                \
        });                                                                                        \
  }                                                                                                \
  NMT_ENTRY MPI_Gather##suffix(const void* send, Count send_count, MPI_Datatype send_type,         \
                               void* receive, Count receive_count, MPI_Datatype receive_type,      \
                               int root, MPI_Comm comm) {                                          \
    const auto result = replace_gather(send, send_count, send_type, receive, receive_count,        \
                                       receive_type, root, comm);                                  \
    if (result) return *result;                                                                    \
    return timed(                                                                                  \
        [&] {                                                                                      \
          return DescribeGather::of(send, send_count, send_type, receive, receive_count,           \
                                    receive_type, root, comm);                                     \
        },                                                                                         \
        [&] {                                                                                      \
          return NMT_NEXT(MPI_Gather##suffix)(send, send_count, send_type, receive, receive_count, \
                                              receive_type, root, comm);                           \
        });                                                                                        \
  }                                                                                                \
  NMT_ENTRY MPI_Scatter##suffix(const void* send, Count send_count, MPI_Datatype send_type,        \
                                void* receive, Count receive_count, MPI_Datatype receive_type,     \
                                int root, MPI_Comm comm) {                                         \
    const auto result = replace_scatter(send, send_count, send_type, receive, receive_count,       \
                                        receive_type, root, comm);                                 \
    if (result) return *result;                                                                    \
    return timed(                                                                                  \
        [&] {                                                                                      \
          return DescribeScatter::of(send, send_count, send_type, receive, receive_count,          \
                                     receive_type, root, comm);                                    \
        },                                                                                         \
        [&] {                                                                                      \
          return NMT_NEXT(MPI_Scatter##suffix)(send, send_count, send_type, receive,               \
                                               receive_count, receive_type, root, comm);           \
        });                                                                                        \
  }                                                                                                \
  NMT_ENTRY MPI_Reduce_scatter_block##suffix(const void* send, void* receive, Count count,         \
                                             MPI_Datatype type, MPI_Op op, MPI_Comm comm) {        \
    if (const auto result = replace_reduce_scatter_block(send, receive, count, type, op, comm)) {  \
      return *result;                                                                              \
    }                                                                                              \
    return timed(                                                                                  \
        [&] { return DescribeReduceScatterBlock::of(send, receive, count, type, op, comm); },      \
        [&] {                                                                                      \
          return NMT_NEXT(MPI_Reduce_scatter_block##suffix)(send, receive, count, type, op, comm); \
        });                                                                                        \
  }                                                                                                \
  NMT_ENTRY MPI_Reduce_scatter##suffix(const void* send, void* receive, const Count counts[],      \
                                       MPI_Datatype type, MPI_Op op, MPI_Comm comm) {              \
    if (const auto result = replace_reduce_scatter(send, receive, counts, type, op, comm)) {       \
      return *result;                                                                              \
    }                                                                                              \
    return timed([&] { return DescribeReduceScatter::of(send, receive, counts, type, op, comm); }, \
                 [&] {                                                                             \
                   return NMT_NEXT(MPI_Reduce_scatter##suffix)(send, receive, counts, type, op,    \
                                                               comm);                              \
                 });                                                                               \
  }                                                                                                \
  NMT_ENTRY MPI_Allgatherv##suffix(const void* send, Count send_count, MPI_Datatype send_type,     \
                                   void* receive, const Count counts[], const Place places[],      \
                                   MPI_Datatype receive_type, MPI_Comm comm) {                     \
    const auto result = replace_allgatherv(send, send_count, send_type, receive, counts, places,   \
                                           receive_type, comm);                                    \
    if (result) return *result;                                                                    \
    return timed(                                                                                  \
        [&] {                                                                                      \
          return DescribeAllgatherv::of(send, send_count, send_type, receive, counts, places,      \
                                        receive_type, comm);                                       \
        },                                                                                         \
        [&] {                                                                                      \
          return NMT_NEXT(MPI_Allgatherv##suffix)(send, send_count, send_type, receive, counts,    \
                                                  places, receive_type, comm);                     \
        });                                                                                        \
  }                                                                                                \
  NMT_ENTRY MPI_Alltoallv##suffix(                                                                 \
      const void* send, const Count send_counts[], const Place send_places[],                      \
      MPI_Datatype send_type, void* receive, const Count receive_counts[],                         \
      const Place receive_places[], MPI_Datatype receive_type, MPI_Comm comm) {                    \
    const auto result = replace_alltoallv(send, send_counts, send_places, send_type, receive,      \
                                          receive_counts, receive_places, receive_type, comm);     \
    if (result) return *result;                                                                    \
    return timed(                                                                                  \
        [&] {                                                                                      \
          return DescribeAlltoallv::of(send, send_counts, send_places, send_type, receive,         \
                                       receive_counts, receive_places, receive_type, comm);        \
        },                                                                                         \
        [&] {                                                                                      \
          return NMT_NEXT(MPI_Alltoallv##suffix)(send, send_counts, send_places, send_type,        \
                                                 receive, receive_counts, receive_places,          \
                                                 receive_type, comm);                              \
        });                                                                                        \
  }

NMT_ENTRIES(, int, int)
#if MPI_VERSION >= 4
NMT_ENTRIES(_c, MPI_Count, MPI_Aint)
#endif

#ifndef OPEN_MPI
// MPICH's mpi_f08 begins by PMPI_Init and calls PMPI for functions without a buffer; its calls that
// move data come by the C functions. Handles are the same numbers there.
namespace {

// `error` may be left out.
template <class... Arguments>
void begin_f08(const char* name, MPI_Fint* error, Arguments*... arguments) {
  MPI_Fint code = MPI_ERR_INTERN;
  auto* const next = find_next<void(Arguments * ..., MPI_Fint*)>(name);
  if (next != nullptr) next(arguments..., &code);
  begin(code);
  if (error != nullptr) *error = code;
}

}  // namespace
extern "C" __attribute__((visibility("default"))) void mpi_init_f08_(MPI_Fint* error) {
  begin_f08("mpi_init_f08_", error);
}
extern "C" __attribute__((visibility("default"))) void mpi_init_thread_f08_(MPI_Fint* required,
                                                                            MPI_Fint* provided,
                                                                            MPI_Fint* error) {
  begin_f08("mpi_init_thread_f08_", error, required, provided);
}
extern "C" __attribute__((visibility("default"))) void mpi_barrier_f08_(MPI_Fint* comm,
                                                                        MPI_Fint* error) {
  const int code = MPI_Barrier(PMPI_Comm_f2c(*comm));
  if (error != nullptr) *error = code;
}
#endif
