// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/interposed.h"

#include <cstring>

#include "collectives/mpi/algorithms.h"
#include "collectives/mpi/flat.h"
#include "collectives/mpi/job.h"

namespace nmt::collectives {
namespace {

Pipeline pipeline_of(const Rule& rule) {
  return {parse_shape(rule.algorithm).value_or(Shape::kChain), rule.segment_bytes};
}

// Predefined types by operations that commute; the standard wants both to be the same on all ranks.
bool can_reduce(MPI_Datatype type, MPI_Op op) {
  int integers = 0, addresses = 0, types = 0, combiner = 0, commutes = 0;
  if (op == MPI_OP_NULL || type == MPI_DATATYPE_NULL) return false;
  return PMPI_Op_commutative(op, &commutes) == MPI_SUCCESS && commutes &&
         PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
         combiner == MPI_COMBINER_NAMED;
}

Reduction reduction_of(int count, MPI_Datatype type, MPI_Op op) {
  MPI_Aint lower = 0, extent = 0;
  check(PMPI_Type_get_extent(type, &lower, &extent));
  return {type, op, static_cast<std::uint64_t>(extent), static_cast<std::uint64_t>(count)};
}

bool is_rank(const Team& team, int rank) { return rank >= 0 && rank < team.size(); }

int begin(int started) {
  try {
    if (started == MPI_SUCCESS) Job::here().start();
  } catch (const MpiFailure& failure) {
    return failure.code;
  }
  return started;
}

// What a rank gives to an Allgather, into its place; Error where it is not as much as it gets of
// each.
void give(std::byte* place, const void* send, int count, MPI_Datatype type, MPI_Comm comm,
          std::uint64_t bytes) {
  int element_bytes = 0;
  check(PMPI_Type_size(type, &element_bytes));
  if (static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(element_bytes) != bytes) {
    fail_on_different_counts();
  }
  Flat own(const_cast<void*>(send), count, type, comm);
  own.pack();
  std::memcpy(place, own.data(), bytes);
}

}  // namespace

int init(int* argc, char*** argv) { return begin(PMPI_Init(argc, argv)); }

int init_thread(int* argc, char*** argv, int required, int* provided) {
  return begin(PMPI_Init_thread(argc, argv, required, provided));
}

int interposed_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  constexpr Operation kOperation = Operation::kBcast;
  const Job::Decision decision = Job::here().decide(kOperation, count, type, comm);
  if (decision.team == nullptr || !is_rank(*decision.team, root)) {
    return PMPI_Bcast(buffer, count, type, root, comm);
  }
  return Job::here().act(kOperation, decision, comm, [&] {
    Flat flat(buffer, count, type, comm);
    const bool is_root = decision.team->rank() == root;
    if (is_root) flat.pack();
    const std::uint64_t bytes =
        bcast(*decision.team, flat.data(), decision.bytes, root, pipeline_of(*decision.rule));
    if (!is_root) flat.unpack(bytes);
  });
}

int interposed_reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                      int root, MPI_Comm comm) {
  constexpr Operation kOperation = Operation::kReduce;
  const Job::Decision decision = Job::here().decide(kOperation, count, type, comm);
  if (decision.team == nullptr || !is_rank(*decision.team, root) || !can_reduce(type, op)) {
    return PMPI_Reduce(send, receive, count, type, op, root, comm);
  }
  return Job::here().act(kOperation, decision, comm, [&] {
    const void* own = send == MPI_IN_PLACE ? receive : send;
    reduce(*decision.team, static_cast<const std::byte*>(own), static_cast<std::byte*>(receive),
           reduction_of(count, type, op), root, pipeline_of(*decision.rule));
  });
}

int interposed_allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm) {
  constexpr Operation kOperation = Operation::kAllreduce;
  const Job::Decision decision = Job::here().decide(kOperation, count, type, comm);
  if (decision.team == nullptr || !can_reduce(type, op)) {
    return PMPI_Allreduce(send, receive, count, type, op, comm);
  }
  return Job::here().act(kOperation, decision, comm, [&] {
    const void* own = send == MPI_IN_PLACE ? receive : send;
    allreduce(*decision.team, static_cast<const std::byte*>(own), static_cast<std::byte*>(receive),
              reduction_of(count, type, op), pipeline_of(*decision.rule));
  });
}

// All ranks receive as many bytes of each; what one sends may be told in place of it.
int interposed_allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                         int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  constexpr Operation kOperation = Operation::kAllgather;
  const Job::Decision decision = Job::here().decide(kOperation, receive_count, receive_type, comm);
  if (decision.team == nullptr) {
    return PMPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type, comm);
  }
  return Job::here().act(kOperation, decision, comm, [&] {
    Team& team = *decision.team;
    Flat all(receive, receive_count * team.size(), receive_type, comm);
    std::byte* own = all.data() + static_cast<std::uint64_t>(team.rank()) * decision.bytes;
    if (send == MPI_IN_PLACE) {
      all.pack();
    } else {
      give(own, send, send_count, send_type, comm, decision.bytes);
    }
    allgather(team, all.data(), decision.bytes,
              parse_around(decision.rule->algorithm).value_or(Around::kLeaders),
              decision.rule->segment_bytes);
    all.unpack(decision.bytes * static_cast<std::uint64_t>(team.size()));
  });
}

}  // namespace nmt::collectives

#define NMT_INTERPOSED extern "C" __attribute__((visibility("default")))

NMT_INTERPOSED int MPI_Init(int* argc, char*** argv) { return nmt::collectives::init(argc, argv); }
NMT_INTERPOSED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return nmt::collectives::init_thread(argc, argv, required, provided);
}
NMT_INTERPOSED int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return nmt::collectives::interposed_bcast(buffer, count, type, root, comm);
}
NMT_INTERPOSED int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type,
                              MPI_Op op, int root, MPI_Comm comm) {
  return nmt::collectives::interposed_reduce(send, receive, count, type, op, root, comm);
}
NMT_INTERPOSED int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type,
                                 MPI_Op op, MPI_Comm comm) {
  return nmt::collectives::interposed_allreduce(send, receive, count, type, op, comm);
}
NMT_INTERPOSED int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type,
                                 void* receive, int receive_count, MPI_Datatype receive_type,
                                 MPI_Comm comm) {
  return nmt::collectives::interposed_allgather(send, send_count, send_type, receive, receive_count,
                                                receive_type, comm);
}
