// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/decided_algorithm.h"

#include <numeric>

namespace nmt::collectives {
namespace {

PipelineOptions pipeline_of(const Rule& rule) {
  return pipeline_options(to_string(rule.operation), rule.algorithm, rule.segment_bytes)
      .value_or(PipelineOptions{.segment_bytes = rule.segment_bytes});
}

AllgatherAlgorithm allgather_algorithm_of(const Rule& rule) {
  return parse_allgather_algorithm(rule.algorithm).value_or(AllgatherAlgorithm::kLeaders);
}

// No call has more bytes or elements than an int counts (Job::kBytesMax).
int bytes_of(const Job::Decision& decision) { return static_cast<int>(decision.bytes); }
int count_of(const Reduction& reduction) { return static_cast<int>(reduction.count); }

const std::byte* own_of(const void* send, const void* receive) {
  return static_cast<const std::byte*>(send == MPI_IN_PLACE ? receive : send);
}

}  // namespace

void run_barrier(const Job::Decision& decision) {
  if (decision.is_by_library()) {
    check(PMPI_Barrier(decision.on));
  } else {
    barrier(decision.hierarchy());
  }
}

BcastResult run_bcast(const Job::Decision& decision, std::byte* data, int root) {
  if (decision.is_by_library()) {
    check(PMPI_Bcast(data, bytes_of(decision), MPI_BYTE, root, decision.on));
    return {.bytes = decision.bytes};
  }
  return bcast(decision.hierarchy(), data, decision.bytes, root, pipeline_of(*decision.rule));
}

void run_reduce(const Job::Decision& decision, const void* send, void* receive,
                const Reduction& reduction, int root) {
  if (decision.is_by_library()) {
    check(PMPI_Reduce(send, receive, count_of(reduction), reduction.type, reduction.op, root,
                      decision.on));
    return;
  }
  reduce(decision.hierarchy(), own_of(send, receive), static_cast<std::byte*>(receive), reduction,
         root, pipeline_of(*decision.rule));
}

void run_allreduce(const Job::Decision& decision, const void* send, void* receive,
                   const Reduction& reduction) {
  if (decision.is_by_library()) {
    check(PMPI_Allreduce(send, receive, count_of(reduction), reduction.type, reduction.op,
                         decision.on));
    return;
  }
  allreduce(decision.hierarchy(), own_of(send, receive), static_cast<std::byte*>(receive),
            reduction, pipeline_of(*decision.rule));
}

void run_reduce_scatter(const Job::Decision& decision, const void* send, void* receive,
                        const Reduction& reduction, const std::vector<std::uint64_t>& counts) {
  if (!decision.is_by_library()) {
    reduce_scatter(decision.hierarchy(), own_of(send, receive), static_cast<std::byte*>(receive),
                   reduction, counts, decision.rule->segment_bytes);
  } else if (decision.rule->operation == Operation::kReduceScatterBlock) {
    check(PMPI_Reduce_scatter_block(send, receive, static_cast<int>(counts.front()), reduction.type,
                                    reduction.op, decision.on));
  } else {
    const std::vector<int> elements(counts.begin(), counts.end());
    check(PMPI_Reduce_scatter(send, receive, elements.data(), reduction.type, reduction.op,
                              decision.on));
  }
}

void run_allgather(const Job::Decision& decision, std::byte* all) {
  if (decision.is_by_library()) {
    check(PMPI_Allgather(MPI_IN_PLACE, bytes_of(decision), MPI_BYTE, all, bytes_of(decision),
                         MPI_BYTE, decision.on));
    return;
  }
  allgather(decision.hierarchy(), all, decision.bytes, allgather_algorithm_of(*decision.rule),
            decision.rule->segment_bytes);
}

void run_allgatherv(const Job::Decision& decision, std::byte* all,
                    const std::vector<std::uint64_t>& sizes_bytes) {
  if (decision.is_by_library()) {
    const std::vector<int> counts(sizes_bytes.begin(), sizes_bytes.end());
    std::vector<int> places(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    check(PMPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all, counts.data(), places.data(), MPI_BYTE,
                          decision.on));
    return;
  }
  allgatherv(decision.hierarchy(), all, sizes_bytes, allgather_algorithm_of(*decision.rule),
             decision.rule->segment_bytes);
}

void run_alltoall(const Job::Decision& decision, const std::byte* from, std::byte* to) {
  if (decision.is_by_library()) {
    check(PMPI_Alltoall(from, bytes_of(decision), MPI_BYTE, to, bytes_of(decision), MPI_BYTE,
                        decision.on));
    return;
  }
  const auto algorithm = parse_alltoall_algorithm(decision.rule->algorithm);
  alltoall(decision.hierarchy(), from, to, decision.bytes, algorithm.value_or(AlltoallAlgorithm{}),
           decision.rule->segment_bytes);
}

void run_gather(const Job::Decision& decision, const std::byte* own, std::byte* all, int root) {
  const int bytes = bytes_of(decision);
  if (decision.is_by_library()) {
    const void* sent = all != nullptr ? MPI_IN_PLACE : own;
    check(PMPI_Gather(sent, bytes, MPI_BYTE, all, bytes, MPI_BYTE, root, decision.on));
    return;
  }
  gather(decision.hierarchy(), own, all, decision.bytes, root, decision.rule->segment_bytes);
}

void run_scatter(const Job::Decision& decision, const std::byte* all, std::byte* own, int root) {
  const int bytes = bytes_of(decision);
  if (decision.is_by_library()) {
    void* received = all != nullptr ? MPI_IN_PLACE : own;
    check(PMPI_Scatter(all, bytes, MPI_BYTE, received, bytes, MPI_BYTE, root, decision.on));
    return;
  }
  scatter(decision.hierarchy(), all, own, decision.bytes, root, decision.rule->segment_bytes);
}

}  // namespace nmt::collectives
