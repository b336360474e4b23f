// SPDX-License-Identifier: BSD-3-Clause
//
// The Fortran functions of Open MPI for collectives that are only timed for the report; see
// open_mpi_fortran.cpp. All their arguments are addresses, so one template serves all. A call goes
// on to the next function of the name, or to the C function for a program whose Fortran library a
// search does not find.
#include <mpi.h>

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/mpi/next_definition.h"
#include "collectives/mpi/report/call_description.h"

extern "C" {
extern int mpi_fortran_in_place_;  // of libmpi; its address stands for MPI_IN_PLACE
extern int mpi_fortran_bottom_;
}

namespace nmt::collectives {
namespace {

using Fint = MPI_Fint;

// Converts a Fortran argument to that of the C function.
struct Buffer {
  static void* of(void* given) {
    if (given == &mpi_fortran_in_place_) return MPI_IN_PLACE;
    if (given == &mpi_fortran_bottom_) return MPI_BOTTOM;
    return given;
  }
};
struct Number {
  static int of(void* given) { return *static_cast<Fint*>(given); }
};
struct Numbers {
  static const int* of(void* given) { return static_cast<const int*>(given); }
};
struct Type {
  static MPI_Datatype of(void* given) { return PMPI_Type_f2c(Number::of(given)); }
};
struct Operator {
  static MPI_Op of(void* given) { return PMPI_Op_f2c(Number::of(given)); }
};
struct Communicator {
  static MPI_Comm of(void* given) { return PMPI_Comm_f2c(Number::of(given)); }
};

// A collective, by the kinds of its arguments.
template <class Describe, class... ArgumentChecker>
struct Signature {
  static constexpr std::size_t kArguments = sizeof...(ArgumentChecker);
  template <class Function, std::size_t... i>
  static auto apply(Function&& function, void** given, std::index_sequence<i...>) {
    return function(ArgumentChecker::of(given[i])...);
  }
  template <class Function>
  static auto apply(Function&& function, void** given) {
    return apply(function, given, std::index_sequence_for<ArgumentChecker...>());
  }
  static CallMade describe(void** given) {
    return apply([](auto... arguments) { return Describe::of(arguments...); }, given);
  }
};

using Barrier = Signature<DescribeBarrier, Communicator>;
using Bcast = Signature<DescribeBcast, Buffer, Number, Type, Number, Communicator>;
using Reduce =
    Signature<DescribeReduce, Buffer, Buffer, Number, Type, Operator, Number, Communicator>;
template <class Describe>
using Reduction = Signature<Describe, Buffer, Buffer, Number, Type, Operator, Communicator>;
using Allreduce = Reduction<DescribeAllreduce>;
using Scan = Reduction<DescribeScan>;
using Exscan = Reduction<DescribeExscan>;
using ReduceScatterBlock = Reduction<DescribeReduceScatterBlock>;
using ReduceScatter =
    Signature<DescribeReduceScatter, Buffer, Buffer, Numbers, Type, Operator, Communicator>;
using Gather =
    Signature<DescribeGather, Buffer, Number, Type, Buffer, Number, Type, Number, Communicator>;
using Gatherv = Signature<DescribeGatherv, Buffer, Number, Type, Buffer, Numbers, Numbers, Type,
                          Number, Communicator>;
using Scatter =
    Signature<DescribeScatter, Buffer, Number, Type, Buffer, Number, Type, Number, Communicator>;
using Scatterv = Signature<DescribeScatterv, Buffer, Numbers, Numbers, Type, Buffer, Number, Type,
                           Number, Communicator>;
using Allgather =
    Signature<DescribeAllgather, Buffer, Number, Type, Buffer, Number, Type, Communicator>;
using Allgatherv = Signature<DescribeAllgatherv, Buffer, Number, Type, Buffer, Numbers, Numbers,
                             Type, Communicator>;
using Alltoall =
    Signature<DescribeAlltoall, Buffer, Number, Type, Buffer, Number, Type, Communicator>;
using Alltoallv = Signature<DescribeAlltoallv, Buffer, Numbers, Numbers, Type, Buffer, Numbers,
                            Numbers, Type, Communicator>;

// Its types are an array, which has another form in C. The array must live until the call is
// complete; for a non-blocking call this code does not learn when.
struct Alltoallw {
  static constexpr std::size_t kArguments = 9;
  static const MPI_Datatype* types(void* given, MPI_Comm comm) {
    static auto* const comm_state = new std::vector<std::unique_ptr<std::vector<MPI_Datatype>>>;
    auto all = std::make_unique<std::vector<MPI_Datatype>>();
    for (int i = 0; i < ranks_of(comm); ++i) {
      all->push_back(PMPI_Type_f2c(static_cast<Fint*>(given)[i]));
    }
    comm_state->push_back(std::move(all));
    return comm_state->back()->data();
  }
  template <class Function>
  static auto apply(Function&& function, void** given) {
    const MPI_Comm comm = Communicator::of(given[8]);
    return function(Buffer::of(given[0]), Numbers::of(given[1]), Numbers::of(given[2]),
                    types(given[3], comm), Buffer::of(given[4]), Numbers::of(given[5]),
                    Numbers::of(given[6]), types(given[7], comm), comm);
  }
  static CallMade describe(void** given) {
    return unlike(Collective::kAlltoallw, Communicator::of(given[8]), 0);
  }
};

// The arguments of the collective, then a request if it does not block, then the error.
template <class Call, class CFunction, class... Given, std::size_t... i>
void pass_on(std::index_sequence<i...>, void (*next)(Given...), CFunction* by_c, Given... given) {
  constexpr std::size_t kGiven = sizeof...(Given);
  constexpr bool kBlocks = kGiven == Call::kArguments + 1;
  void* all[] = {given...};
  Fint code = MPI_SUCCESS;
  auto* const error = static_cast<Fint*>(std::exchange(all[kGiven - 1], &code));
  const auto call = [&]() -> int {
    if (next != nullptr) {
      next(all[i]...);
      return code;
    }
    return Call::apply(
        [&](auto... arguments) {
          if constexpr (kBlocks) {
            return by_c(arguments...);
          } else {
            MPI_Request request = MPI_REQUEST_NULL;
            const int result = by_c(arguments..., &request);
            if (result == MPI_SUCCESS) {
              *static_cast<Fint*>(all[kGiven - 2]) = PMPI_Request_c2f(request);
            }
            return result;
          }
        },
        all);
  };
  const auto describe = [&] { return Call::describe(all); };
  const int result = kBlocks ? timed(describe, call) : counted(describe, call);
  if (error != nullptr) *error = result;
}

}  // namespace
}  // namespace nmt::collectives

using namespace nmt::collectives;

#define NMT_VISIBLE extern "C" __attribute__((visibility("default")))
#define NMT_FUNCTION(name, c_name, Call, parameters, ...)                                     \
  NMT_VISIBLE void name parameters {                                                          \
    static auto* const found = find_next<void parameters>(#name);                             \
    static auto* const by_c = NMT_NEXT(MPI_##c_name);                                         \
    constexpr std::size_t kGiven = std::tuple_size_v<decltype(std::make_tuple(__VA_ARGS__))>; \
    pass_on<Call>(std::make_index_sequence<kGiven>(), found, by_c, __VA_ARGS__);              \
  }
#define NMT_NAMES(lower, UPPER, ...)         \
  NMT_FUNCTION(mpi_##lower, __VA_ARGS__)     \
  NMT_FUNCTION(mpi_##lower##_, __VA_ARGS__)  \
  NMT_FUNCTION(mpi_##lower##__, __VA_ARGS__) \
  NMT_FUNCTION(MPI_##UPPER, __VA_ARGS__) NMT_FUNCTION(ompi_##lower##_f, __VA_ARGS__)

#define NMT_3 (void* a, void* b, void* c), a, b, c
#define NMT_7 (void* a, void* b, void* c, void* d, void* e, void* f, void* g), a, b, c, d, e, f, g
#define NMT_8 \
  (void* a, void* b, void* c, void* d, void* e, void* f, void* g, void* h), a, b, c, d, e, f, g, h
#define NMT_9                                                                                    \
  (void* a, void* b, void* c, void* d, void* e, void* f, void* g, void* h, void* i), a, b, c, d, \
      e, f, g, h, i
#define NMT_10                                                                                   \
  (void* a, void* b, void* c, void* d, void* e, void* f, void* g, void* h, void* i, void* j), a, \
      b, c, d, e, f, g, h, i, j
#define NMT_11                                                                               \
  (void* a, void* b, void* c, void* d, void* e, void* f, void* g, void* h, void* i, void* j, \
   void* k),                                                                                 \
      a, b, c, d, e, f, g, h, i, j, k

NMT_NAMES(ibarrier, IBARRIER, Ibarrier, Barrier, NMT_3)
NMT_NAMES(ibcast, IBCAST, Ibcast, Bcast, NMT_7)
NMT_NAMES(ireduce, IREDUCE, Ireduce, Reduce, NMT_9)
NMT_NAMES(iallreduce, IALLREDUCE, Iallreduce, Allreduce, NMT_8)
NMT_NAMES(iallgather, IALLGATHER, Iallgather, Allgather, NMT_9)
NMT_NAMES(scan, SCAN, Scan, Scan, NMT_7)
NMT_NAMES(iscan, ISCAN, Iscan, Scan, NMT_8)
NMT_NAMES(exscan, EXSCAN, Exscan, Exscan, NMT_7)
NMT_NAMES(iexscan, IEXSCAN, Iexscan, Exscan, NMT_8)
NMT_NAMES(ireduce_scatter_block, IREDUCE_SCATTER_BLOCK, Ireduce_scatter_block, ReduceScatterBlock,
          NMT_8)
NMT_NAMES(ireduce_scatter, IREDUCE_SCATTER, Ireduce_scatter, ReduceScatter, NMT_8)
NMT_NAMES(igather, IGATHER, Igather, Gather, NMT_10)
NMT_NAMES(gatherv, GATHERV, Gatherv, Gatherv, NMT_10)
NMT_NAMES(igatherv, IGATHERV, Igatherv, Gatherv, NMT_11)
NMT_NAMES(iscatter, ISCATTER, Iscatter, Scatter, NMT_10)
NMT_NAMES(scatterv, SCATTERV, Scatterv, Scatterv, NMT_10)
NMT_NAMES(iscatterv, ISCATTERV, Iscatterv, Scatterv, NMT_11)
NMT_NAMES(iallgatherv, IALLGATHERV, Iallgatherv, Allgatherv, NMT_10)
NMT_NAMES(ialltoall, IALLTOALL, Ialltoall, Alltoall, NMT_9)
NMT_NAMES(ialltoallv, IALLTOALLV, Ialltoallv, Alltoallv, NMT_11)
NMT_NAMES(alltoallw, ALLTOALLW, Alltoallw, Alltoallw, NMT_10)
NMT_NAMES(ialltoallw, IALLTOALLW, Ialltoallw, Alltoallw, NMT_11)
