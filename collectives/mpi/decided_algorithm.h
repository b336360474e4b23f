// SPDX-License-Identifier: BSD-3-Clause
//
// Runs what was decided, over contiguous bytes: an algorithm of ours, or one of the MPI's own,
// which is called with bytes, so that ranks may describe equal data by different types.
//
// Called in Job::act() by all ranks. MpiFailure and Error as the algorithms (algorithms.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/mpi/algorithms.h"
#include "collectives/mpi/job.h"

namespace nmt::collectives {

void run_barrier(const Job::Decision& decision);
BcastResult run_bcast(const Job::Decision& decision, std::byte* data, int root);

// `send` may be MPI_IN_PLACE.
void run_reduce(const Job::Decision& decision, const void* send, void* receive,
                const Reduction& reduction, int root);
void run_allreduce(const Job::Decision& decision, const void* send, void* receive,
                   const Reduction& reduction);
// Of a Reduce_scatter_block too, where all counts are equal.
void run_reduce_scatter(const Job::Decision& decision, const void* send, void* receive,
                        const Reduction& reduction, const std::vector<std::uint64_t>& counts);

// This rank's own block is in its place in `all`.
void run_allgather(const Job::Decision& decision, std::byte* all);
void run_allgatherv(const Job::Decision& decision, std::byte* all,
                    const std::vector<std::uint64_t>& sizes_bytes);

void run_alltoall(const Job::Decision& decision, const std::byte* from, std::byte* to);

// `all` is null but at the root, and `own` is null at the root.
void run_gather(const Job::Decision& decision, const std::byte* own, std::byte* all, int root);
void run_scatter(const Job::Decision& decision, const std::byte* all, std::byte* own, int root);

}  // namespace nmt::collectives
