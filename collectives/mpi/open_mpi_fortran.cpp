// SPDX-License-Identifier: BSD-3-Clause
//
// The Fortran functions of Open MPI, which do not call the C ones: mpif.h and the module mpi use
// four spellings of a name, mpi_f08 uses its own. A call that is left alone goes on to the next
// function of the name that the program called. MPICH's Fortran functions call the C ones.
#include <mpi.h>

#include <optional>
#include <tuple>
#include <utility>

#include "collectives/mpi/interposed.h"
#include "collectives/mpi/next_definition.h"
#include "collectives/mpi/report/call_description.h"

extern "C" {
extern int mpi_fortran_in_place_;  // of libmpi; its address stands for MPI_IN_PLACE
extern int mpi_fortran_bottom_;
}

namespace {

using namespace nmt::collectives;

using Fint = MPI_Fint;

void* buffer(void* given) {
  if (given == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  if (given == &mpi_fortran_bottom_) return MPI_BOTTOM;
  return given;
}

void set_error(Fint* error, int code) {
  if (error != nullptr) *error = code;
}

// Each call has two forms: in front of the MPI's Fortran function, and by the C function, for a
// program whose Fortran library a search does not find (it is loaded locally).
struct Init {
  static int by_c(Fint*) { return NMT_NEXT(MPI_Init)(nullptr, nullptr); }
};
struct InitThread {
  static int by_c(Fint* required, Fint* provided, Fint*) {
    return NMT_NEXT(MPI_Init_thread)(nullptr, nullptr, *required, provided);
  }
};
struct Barrier {
  template <class Function>
  static auto by(Function f, Fint* comm, Fint*) {
    return f(PMPI_Comm_f2c(*comm));
  }
  static constexpr auto kReplace = nmt::collectives::replace_barrier;
  static constexpr auto kDescribe = DescribeBarrier::of;
  static auto c() { return NMT_NEXT(MPI_Barrier); }
};
struct Bcast {
  template <class Function>
  static auto by(Function f, void* data, Fint* count, Fint* type, Fint* root, Fint* comm, Fint*) {
    return f(buffer(data), *count, PMPI_Type_f2c(*type), *root, PMPI_Comm_f2c(*comm));
  }
  static constexpr auto kReplace = nmt::collectives::replace_bcast;
  static constexpr auto kDescribe = DescribeBcast::of;
  static auto c() { return NMT_NEXT(MPI_Bcast); }
};
struct Reduce {
  template <class Function>
  static auto by(Function f, void* send, void* receive, Fint* count, Fint* type, Fint* op,
                 Fint* root, Fint* comm, Fint*) {
    return f(buffer(send), buffer(receive), *count, PMPI_Type_f2c(*type), PMPI_Op_f2c(*op), *root,
             PMPI_Comm_f2c(*comm));
  }
  static constexpr auto kReplace = nmt::collectives::replace_reduce;
  static constexpr auto kDescribe = DescribeReduce::of;
  static auto c() { return NMT_NEXT(MPI_Reduce); }
};
// Allreduce and Reduce_scatter_block take the same arguments.
struct OfReduction {
  template <class Function>
  static auto by(Function f, void* send, void* receive, Fint* count, Fint* type, Fint* op,
                 Fint* comm, Fint*) {
    return f(buffer(send), buffer(receive), *count, PMPI_Type_f2c(*type), PMPI_Op_f2c(*op),
             PMPI_Comm_f2c(*comm));
  }
};
struct Allreduce : OfReduction {
  static constexpr auto kReplace = nmt::collectives::replace_allreduce;
  static constexpr auto kDescribe = DescribeAllreduce::of;
  static auto c() { return NMT_NEXT(MPI_Allreduce); }
};
struct ReduceScatterBlock : OfReduction {
  static constexpr auto kReplace = nmt::collectives::replace_reduce_scatter_block;
  static constexpr auto kDescribe = DescribeReduceScatterBlock::of;
  static auto c() { return NMT_NEXT(MPI_Reduce_scatter_block); }
};
struct ReduceScatter {
  template <class Function>
  static auto by(Function f, void* send, void* receive, Fint* counts, Fint* type, Fint* op,
                 Fint* comm, Fint*) {
    return f(buffer(send), buffer(receive), counts, PMPI_Type_f2c(*type), PMPI_Op_f2c(*op),
             PMPI_Comm_f2c(*comm));
  }
  static constexpr auto kReplace = nmt::collectives::replace_reduce_scatter<int>;
  static constexpr auto kDescribe = DescribeReduceScatter::of<int>;
  static auto c() { return NMT_NEXT(MPI_Reduce_scatter); }
};
// Allgather and Alltoall take the same arguments.
struct OfBlocks {
  template <class Function>
  static auto by(Function f, void* send, Fint* send_count, Fint* send_type, void* receive,
                 Fint* receive_count, Fint* receive_type, Fint* comm, Fint*) {
    return f(buffer(send), *send_count, PMPI_Type_f2c(*send_type), buffer(receive), *receive_count,
             PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm));
  }
};
struct Allgather : OfBlocks {
  static constexpr auto kReplace = nmt::collectives::replace_allgather;
  static constexpr auto kDescribe = DescribeAllgather::of;
  static auto c() { return NMT_NEXT(MPI_Allgather); }
};
struct Allgatherv {
  template <class Function>
  static auto by(Function f, void* send, Fint* send_count, Fint* send_type, void* receive,
                 Fint* counts, Fint* places, Fint* receive_type, Fint* comm, Fint*) {
    return f(buffer(send), *send_count, PMPI_Type_f2c(*send_type), buffer(receive), counts, places,
             PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm));
  }
  static constexpr auto kReplace = nmt::collectives::replace_allgatherv<int, int>;
  static constexpr auto kDescribe = DescribeAllgatherv::of<int, int>;
  static auto c() { return NMT_NEXT(MPI_Allgatherv); }
};
struct Alltoall : OfBlocks {
  static constexpr auto kReplace = nmt::collectives::replace_alltoall;
  static constexpr auto kDescribe = DescribeAlltoall::of;
  static auto c() { return NMT_NEXT(MPI_Alltoall); }
};
// Gather and Scatter take the same arguments.
struct OfRoot {
  template <class Function>
  static auto by(Function f, void* send, Fint* send_count, Fint* send_type, void* receive,
                 Fint* receive_count, Fint* receive_type, Fint* root, Fint* comm, Fint*) {
    return f(buffer(send), *send_count, PMPI_Type_f2c(*send_type), buffer(receive), *receive_count,
             PMPI_Type_f2c(*receive_type), *root, PMPI_Comm_f2c(*comm));
  }
};
struct Gather : OfRoot {
  static constexpr auto kReplace = nmt::collectives::replace_gather;
  static constexpr auto kDescribe = DescribeGather::of;
  static auto c() { return NMT_NEXT(MPI_Gather); }
};
struct Scatter : OfRoot {
  static constexpr auto kReplace = nmt::collectives::replace_scatter;
  static constexpr auto kDescribe = DescribeScatter::of;
  static auto c() { return NMT_NEXT(MPI_Scatter); }
};
struct Alltoallv {
  template <class Function>
  static auto by(Function f, void* send, Fint* send_counts, Fint* send_places, Fint* send_type,
                 void* receive, Fint* receive_counts, Fint* receive_places, Fint* receive_type,
                 Fint* comm, Fint*) {
    return f(buffer(send), send_counts, send_places, PMPI_Type_f2c(*send_type), buffer(receive),
             receive_counts, receive_places, PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm));
  }
  static constexpr auto kReplace = nmt::collectives::replace_alltoallv<int, int>;
  static constexpr auto kDescribe = DescribeAlltoallv::of<int, int>;
  static auto c() { return NMT_NEXT(MPI_Alltoallv); }
};

// Calls the next function of that name; its last argument receives the error.
template <class Call, class... Given>
void pass_on(void (*next)(Given...), Given... given) {
  Fint code = MPI_SUCCESS;
  auto all = std::make_tuple(given...);
  auto* const error = std::exchange(std::get<sizeof...(Given) - 1>(all), &code);
  set_error(error, timed([&] { return Call::by(Call::kDescribe, given...); },
                         [&] {
                           std::apply(next, all);
                           return code;
                         }));
}

}  // namespace

#define NMT_VISIBLE extern "C" __attribute__((visibility("default")))
#define NMT_COLLECTIVE(name, Call, parameters, ...)                  \
  NMT_VISIBLE void name parameters {                                 \
    static auto* const next = find_next<void parameters>(#name);     \
    if (const auto result = Call::by(Call::kReplace, __VA_ARGS__)) { \
      set_error(error, *result);                                     \
    } else if (next != nullptr) {                                    \
      pass_on<Call>(next, __VA_ARGS__);                              \
    } else {                                                         \
      set_error(error, Call::by(Call::c(), __VA_ARGS__));            \
    }                                                                \
  }
#define NMT_START(name, Call, parameters, ...)                   \
  NMT_VISIBLE void name parameters {                             \
    static auto* const next = find_next<void parameters>(#name); \
    Fint code = MPI_SUCCESS;                                     \
    Fint* const given = std::exchange(error, &code);             \
    if (next != nullptr) next(__VA_ARGS__);                      \
    if (next == nullptr) code = Call::by_c(__VA_ARGS__);         \
    set_error(given, nmt::collectives::begin(code));             \
  }
#define NMT_NAMES(define, lower, upper, ...)                                \
  define(mpi_##lower, __VA_ARGS__) define(mpi_##lower##_, __VA_ARGS__)      \
      define(mpi_##lower##__, __VA_ARGS__) define(MPI_##upper, __VA_ARGS__) \
          define(ompi_##lower##_f, __VA_ARGS__)

NMT_NAMES(NMT_START, init, INIT, Init, (Fint * error), error)
NMT_NAMES(NMT_START, init_thread, INIT_THREAD, InitThread,
          (Fint * required, Fint* provided, Fint* error), required, provided, error)
NMT_NAMES(NMT_COLLECTIVE, barrier, BARRIER, Barrier, (Fint * comm, Fint* error), comm, error)
NMT_NAMES(NMT_COLLECTIVE, bcast, BCAST, Bcast,
          (void* data, Fint* count, Fint* type, Fint* root, Fint* comm, Fint* error), data, count,
          type, root, comm, error)
NMT_NAMES(NMT_COLLECTIVE, reduce, REDUCE, Reduce,
          (void* send, void* receive, Fint* count, Fint* type, Fint* op, Fint* root, Fint* comm,
           Fint* error),
          send, receive, count, type, op, root, comm, error)
NMT_NAMES(NMT_COLLECTIVE, allreduce, ALLREDUCE, Allreduce,
          (void* send, void* receive, Fint* count, Fint* type, Fint* op, Fint* comm, Fint* error),
          send, receive, count, type, op, comm, error)
NMT_NAMES(NMT_COLLECTIVE, reduce_scatter_block, REDUCE_SCATTER_BLOCK, ReduceScatterBlock,
          (void* send, void* receive, Fint* count, Fint* type, Fint* op, Fint* comm, Fint* error),
          send, receive, count, type, op, comm, error)
NMT_NAMES(NMT_COLLECTIVE, reduce_scatter, REDUCE_SCATTER, ReduceScatter,
          (void* send, void* receive, Fint* counts, Fint* type, Fint* op, Fint* comm, Fint* error),
          send, receive, counts, type, op, comm, error)
NMT_NAMES(NMT_COLLECTIVE, allgather, ALLGATHER, Allgather,
          (void* send, Fint* send_count, Fint* send_type, void* receive, Fint* receive_count,
           Fint* receive_type, Fint* comm, Fint* error),
          send, send_count, send_type, receive, receive_count, receive_type, comm, error)
NMT_NAMES(NMT_COLLECTIVE, allgatherv, ALLGATHERV, Allgatherv,
          (void* send, Fint* send_count, Fint* send_type, void* receive, Fint* counts, Fint* places,
           Fint* receive_type, Fint* comm, Fint* error),
          send, send_count, send_type, receive, counts, places, receive_type, comm, error)
NMT_NAMES(NMT_COLLECTIVE, alltoall, ALLTOALL, Alltoall,
          (void* send, Fint* send_count, Fint* send_type, void* receive, Fint* receive_count,
           Fint* receive_type, Fint* comm, Fint* error),
          send, send_count, send_type, receive, receive_count, receive_type, comm, error)
NMT_NAMES(NMT_COLLECTIVE, gather, GATHER, Gather,
          (void* send, Fint* send_count, Fint* send_type, void* receive, Fint* receive_count,
           Fint* receive_type, Fint* root, Fint* comm, Fint* error),
          send, send_count, send_type, receive, receive_count, receive_type, root, comm, error)
NMT_NAMES(NMT_COLLECTIVE, scatter, SCATTER, Scatter,
          (void* send, Fint* send_count, Fint* send_type, void* receive, Fint* receive_count,
           Fint* receive_type, Fint* root, Fint* comm, Fint* error),
          send, send_count, send_type, receive, receive_count, receive_type, root, comm, error)
NMT_NAMES(NMT_COLLECTIVE, alltoallv, ALLTOALLV, Alltoallv,
          (void* send, Fint* send_counts, Fint* send_places, Fint* send_type, void* receive,
           Fint* receive_counts, Fint* receive_places, Fint* receive_type, Fint* comm, Fint* error),
          send, send_counts, send_places, send_type, receive, receive_counts, receive_places,
          receive_type, comm, error)
