// SPDX-License-Identifier: BSD-3-Clause
//
// Runs the algorithm of a Decision over contiguous bytes: one of ours, or one of the MPI's own. The
// MPI is called with bytes too, so that ranks may describe equal data by different types.
//
// All ranks call these functions in Job::act(). They throw as the algorithms do (algorithms.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/mpi/algorithms/algorithms.h"
#include "collectives/mpi/job.h"

namespace nmt::collectives {

void run_barrier(const Job::Decision& decision);
BcastResult run_bcast(const Job::Decision& decision, std::byte* data, int root);

// `send` may be MPI_IN_PLACE.
void run_reduce(const Job::Decision& decision, const void* send, void* receive,
                const Reduction& reduction, int root);
void run_allreduce(const Job::Decision& decision, const void* send, void* receive,
                   const Reduction& reduction);
// Also for a Reduce_scatter_block, in which all counts are equal.
void run_reduce_scatter(const Job::Decision& decision, const void* send, void* receive,
                        const Reduction& reduction, const std::vector<std::uint64_t>& counts);

// This rank's own block is in its place in `all`.
void run_allgather(const Job::Decision& decision, std::byte* all);
void run_allgatherv(const Job::Decision& decision, std::byte* all,
                    const std::vector<std::uint64_t>& sizes_bytes);

void run_alltoall(const Job::Decision& decision, const std::byte* from, std::byte* to);

// `all` is null on all ranks but the root; `own` is null on the root.
void run_gather(const Job::Decision& decision, const std::byte* own, std::byte* all, int root);
void run_scatter(const Job::Decision& decision, const std::byte* all, std::byte* own, int root);

}  // namespace nmt::collectives
