// SPDX-License-Identifier: BSD-3-Clause
//
// Who leads, in which order a ring goes, and to whom the ranks send messages, which tells
// algorithms apart whose results are the same. The linker puts these in front of the MPI's
// (--wrap).
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "collectives/mpi/algorithms/algorithms.h"
#include "tests/collectives/against_library.h"
#include "tests/collectives/pretended_nodes.h"

namespace {

std::set<int> sent_to;  // by this rank

}  // namespace

extern "C" {

int __real_PMPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag,
                     MPI_Comm comm);
int __real_PMPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request* request);

int __wrap_PMPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag,
                     MPI_Comm comm) {
  sent_to.insert(to);
  return __real_PMPI_Send(data, count, type, to, tag, comm);
}

int __wrap_PMPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request* request) {
  sent_to.insert(to);
  return __real_PMPI_Isend(data, count, type, to, tag, comm, request);
}

}  // extern "C"

namespace nmt::testing {
namespace {

using collectives::CopyMethod;
using collectives::Group;
using collectives::NodeHierarchy;
using collectives::PipelineOptions;
using collectives::RankLocation;

constexpr int kInts = 8000, kFewInts = 100;

template <class Call>
std::set<int> receivers(Call&& call) {
  sent_to.clear();
  call();
  return sent_to;
}

PipelineOptions way(const std::string& operation, const std::string& algorithm) {
  return *collectives::pipeline_options(operation, algorithm, 0);
}

// Each rank is on a node of its own.
void check_leaders(const Tested& tested) {
  NodeHierarchy& hierarchy = tested.hierarchy;
  const int ranks = hierarchy.size(), rank = hierarchy.rank(), before = (rank + ranks - 1) % ranks;
  std::vector<int> own(kInts, 1), sums(kInts);
  const auto all_data = reinterpret_cast<const std::byte*>(own.data());
  const auto result = reinterpret_cast<std::byte*>(sums.data());
  const auto allreduced = [&](const std::string& algorithm, int ints) {
    return receivers([&] {
      const collectives::Reduction reduction{MPI_INT, MPI_SUM, sizeof(int),
                                             static_cast<std::uint64_t>(ints)};
      allreduce(hierarchy, all_data, result, reduction, way("allreduce", algorithm));
    });
  };
  tested.expect(allreduced("ring", kInts) == std::set{before}, "to whom a ring sends");
  std::set<int> at_powers_of_two;
  for (int distance = 1; distance < ranks; distance *= 2) at_powers_of_two.insert(rank ^ distance);
  if ((ranks & (ranks - 1)) == 0) {
    tested.expect(allreduced("recursive_doubling", kFewInts) == at_powers_of_two,
                  "to whom recursive doubling sends");
  }
  // Up and down a chain, whose middle ranks have two neighbours.
  if (ranks > 2) {
    const std::set<int> along_chain = allreduced("chain", kInts);
    tested.expect(!along_chain.contains((rank + ranks / 2) % ranks), "to whom a chain sends");
  }
  const std::set<int> reduced = receivers([&] {
    const collectives::Reduction reduction{MPI_INT, MPI_SUM, sizeof(int), kInts};
    reduce(hierarchy, all_data, result, reduction, 0, way("reduce", "ring"));
  });
  std::set<int> around = {before};  // and the finished part to the root
  if (rank != 0) around.insert(0);
  tested.expect(reduced.contains(before) && std::ranges::includes(around, reduced),
                "to whom a Reduce by a ring sends");
  std::size_t rounds = 0;
  for (int reached = 1; reached < ranks; reached *= 2) ++rounds;
  for (const auto& [algorithm, children] :
       {std::pair<std::string, std::size_t>{"chain", 1}, {"binary", 2}, {"binomial", rounds}}) {
    const std::set<int> below =
        receivers([&] { bcast(hierarchy, result, kInts, 0, way("bcast", algorithm)); });
    if (rank == 0)
      tested.expect(below.size() == children, "how many a root sends to, " + algorithm);
  }
}

// Of a hierarchy whose ranks copy by messages.
void check_ring_of_neighbors(const Tested& tested) {
  const std::vector<int>& order = tested.hierarchy.in_physical_order();
  const auto own = std::ranges::find(order, tested.hierarchy.rank());
  const int next = own + 1 == order.end() ? order.front() : *(own + 1);
  std::vector<std::byte> all(order.size() * kSegmentBytes);
  const std::set<int> after = receivers([&] {
    allgather(tested.hierarchy, all.data(), kSegmentBytes, collectives::AllgatherAlgorithm::kRing,
              0);
  });
  tested.expect(after == std::set{next}, "to whom a ring of ranks sends");
}

}  // namespace

void check_who_sends_to_whom(MPI_Comm comm, collectives::CopyMethod copies) {
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  NodeHierarchy apart(comm, {.copies = copies, .nodes = nodes_by_turns(ranks, ranks)});
  check_leaders({apart, comm, "a node for each rank"});
}

// On a node whose NUMA nodes are numbered across its two sockets, with any number of leaders.
void check_physical_order(MPI_Comm comm, CopyMethod copies) {
  std::vector<RankLocation> locations = exchange_locations(comm, copies);
  std::vector<int> expected;
  for (const int numa : {0, 2, 1, 3}) {
    for (std::size_t rank = 0; rank < locations.size(); ++rank) {
      if (static_cast<int>(rank % 4) == numa) expected.push_back(static_cast<int>(rank));
    }
  }
  for (std::size_t rank = 0; rank < locations.size(); ++rank) {
    locations[rank].place.numa = static_cast<int>(rank % 4);
    locations[rank].place.socket = static_cast<int>(rank % 2);
  }
  for (const int leaders : {1, 2, 4}) {
    NodeHierarchy hierarchy(comm, {.copies = copies, .leaders = leaders}, locations);
    const Tested tested{hierarchy, comm, std::to_string(leaders) + " leaders"};
    tested.expect(hierarchy.groups().size() == static_cast<std::size_t>(leaders), "their number");
    tested.expect(hierarchy.in_physical_order() == expected, "the order of a ring");
    if (copies == CopyMethod::kMessages && leaders == 1) check_ring_of_neighbors(tested);
  }
  const int near = static_cast<int>(locations.size()) - 1;
  locations.back().place.near_network = true;
  for (const int leaders : {1, 2, 4}) {
    NodeHierarchy hierarchy(comm, {.copies = copies, .leaders = leaders}, locations);
    const Tested tested{hierarchy, comm, std::to_string(leaders) + " leaders"};
    for (const Group& group : hierarchy.groups()) {
      const bool has_it = std::ranges::find(group.ranks, near) != group.ranks.end();
      tested.expect(group.leader == (has_it ? near : group.ranks.front()), "who leads");
    }
  }
}

}  // namespace nmt::testing
