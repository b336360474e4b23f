// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/hierarchy/rank_location.h"

#include <unistd.h>

#include <algorithm>

#include "collectives/mpi/hierarchy/mpi_failure.h"
#include "node/node.h"

namespace nmt::collectives {
namespace {

#ifdef OPEN_MPI
constexpr MpiFamily kMpi = MpiFamily::kOpenMpi;
#else
constexpr MpiFamily kMpi = MpiFamily::kMpich;
#endif

template <class Value>
std::vector<Value> all_gather(const Value& own, MPI_Comm comm) {
  int size = 0;
  check(PMPI_Comm_size(comm, &size));
  std::vector<Value> all(static_cast<std::size_t>(size));
  check(PMPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, comm));
  return all;
}

// The lowest rank on this rank's node.
int node_of_this_rank(MPI_Comm comm, int rank) {
  MPI_Comm node = MPI_COMM_NULL;
  int lowest = rank;
  check(PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node));
  check(PMPI_Bcast(&lowest, 1, MPI_INT, 0, node));
  check(PMPI_Comm_free(&node));
  return lowest;
}

}  // namespace

std::vector<RankLocation> exchange_locations(MPI_Comm comm, CopyMethod copies) {
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank));
  const std::vector<int> cores = node::allowed_cores();
  const RankLocation own{.node = node_of_this_rank(comm, rank),
                         .core = cores.front(),
                         .cores = static_cast<int>(cores.size()),
                         .place = locality_of(cores.front(), kMpi),
                         .pid = ::getpid(),
                         .copies = copies};
  return all_gather(own, comm);
}

bool is_oversubscribed(const std::vector<RankLocation>& locations, int rank) {
  const RankLocation& own = locations[static_cast<std::size_t>(rank)];
  return std::ranges::count_if(locations, [&](const RankLocation& location) {
           return location.place.kernel == own.place.kernel && location.core == own.core;
         }) > own.cores;
}

}  // namespace nmt::collectives
