// SPDX-License-Identifier: BSD-3-Clause
//
// A job of an MPI that holds our collectives against the library's own, for many numbers of ranks,
// nodes, roots, counts, types and ways to copy. Prints what differs; the exit code is 1 then.
//
//   against_library [--full | --hosts] attach|areas|messages
//
// On one host the ranks pretend to be on several; with --hosts they are where they are.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/mpi/algorithms/algorithms.h"
#include "tests/collectives/against_library.h"
#include "tests/collectives/elements.h"
#include "tests/collectives/pretended_nodes.h"

namespace nmt::testing {

void Tested::expect(bool same, const std::string& what) const {
  ++checks;
  if (same) return;
  ++failures;
  std::fprintf(stderr, "%s, rank %d of %d: %s differs\n", name.c_str(), hierarchy.rank(),
               hierarchy.size(), what.c_str());
}

Bytes noise(std::uint64_t bytes, int seed) {
  Bytes all(bytes);
  unsigned state = static_cast<unsigned>(seed) * 2654435761u + 1;
  for (std::byte& each : all) each = static_cast<std::byte>((state = state * 1664525 + 1) >> 24);
  return all;
}

Sizes sizes_around_a_segment(std::uint64_t element_bytes) {
  const std::uint64_t segment = kSegmentBytes / element_bytes * element_bytes;
  return {0,       element_bytes,           segment - element_bytes,
          segment, segment + element_bytes, 7 * segment + 13 * element_bytes};
}

Sizes sizes(std::uint64_t element_bytes) {
  Sizes all = sizes_around_a_segment(element_bytes);
  const std::uint64_t segment = kSegmentBytes / element_bytes * element_bytes;
  const std::uint64_t large = kLargeBytes / element_bytes * element_bytes;
  if (full) all.insert(all.end(), {2 * segment, 40 * segment, large});
  return all;
}

std::uint64_t segment_of(std::uint64_t bytes) {
  return bytes < kLargeBytes / 2 ? kSegmentBytes : kLargeSegmentBytes;
}

}  // namespace nmt::testing

namespace {

using namespace nmt::collectives;
using namespace nmt::testing;

// The rounds of an Alltoall depend on the number of nodes. On the most nodes, and with one rank on
// each, only Alltoalls are checked, since all operations would take long.
constexpr int kNodesMax = 8, kNodesOfOperations = 5, kRanksOfOperations = 6;

int turn = 0;  // for a covering choice of trees; the same on all ranks
std::size_t type_turn = 0;

constexpr TreeShape kShapes[] = {TreeShape::kChain, TreeShape::kBinary, TreeShape::kBinomial};

TreeShape shape_by_turn() { return kShapes[turn++ % 3]; }

std::string name_of(const PipelineOptions& way) {
  switch (way.algorithm) {
    case LeaderAlgorithm::kTree:
      break;
    case LeaderAlgorithm::kRing:
      return "ring";
    case LeaderAlgorithm::kRecursiveDoubling:
      return "recursive_doubling";
    case LeaderAlgorithm::kInline:
      return "inline";
  }
  return std::string(to_string(way.shape));
}

// Trees by turns, and all other algorithms of the operation.
std::vector<PipelineOptions> ways_of(std::string_view operation, std::uint64_t segment_bytes) {
  std::vector<PipelineOptions> ways = {{shape_by_turn(), segment_bytes}};
  for (const std::string_view name : {"ring", "recursive_doubling", "inline"}) {
    const auto way = pipeline_options(operation, name, segment_bytes);
    if (way) ways.push_back(*way);
  }
  return ways;
}

std::vector<TreeShape> shapes() {
  if (full) return {std::begin(kShapes), std::end(kShapes)};
  return {shape_by_turn()};
}

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// No rank leaves before the last one has come; another one is late each time. Ranks, also those of
// a lab, share one clock.
void check_barrier(const Tested& tested) {
  constexpr timespec kLate{.tv_sec = 0, .tv_nsec = 300'000};
  constexpr int kTimes = 20;
  std::vector<std::int64_t> came_ns, left_ns, last_ns(kTimes);
  for (int i = 0; i < kTimes; ++i) {
    if (tested.hierarchy.rank() == i * 7 % tested.hierarchy.size()) ::nanosleep(&kLate, nullptr);
    came_ns.push_back(now_ns());
    barrier(tested.hierarchy);
    left_ns.push_back(now_ns());
  }
  PMPI_Allreduce(came_ns.data(), last_ns.data(), kTimes, MPI_INT64_T, MPI_MAX, tested.comm);
  for (std::size_t i = 0; i < last_ns.size(); ++i) {
    tested.expect(left_ns[i] >= last_ns[i], "what a Barrier waits for");
  }
}

void check_bcast(const Tested& tested, int root) {
  for (const std::uint64_t bytes : sizes()) {
    const int seed = tested.hierarchy.rank() == root ? 1000 + root : tested.hierarchy.rank();
    const Bytes before = noise(bytes, seed);
    Bytes theirs = before;
    PMPI_Bcast(theirs.data(), static_cast<int>(bytes), MPI_BYTE, root, tested.comm);
    std::vector<PipelineOptions> ways = {*pipeline_options("bcast", "inline", 0)};
    for (const TreeShape shape : shapes()) {
      for (const std::uint64_t segment : {segment_of(bytes), std::uint64_t{0}}) {
        ways.push_back({shape, segment});
      }
    }
    for (const PipelineOptions& way : ways) {
      Bytes ours = before;
      bcast(tested.hierarchy, ours.data(), bytes, root, way);
      tested.expect(ours == theirs, "Bcast of " + std::to_string(bytes) + " from " +
                                        std::to_string(root) + ", " + name_of(way));
    }
  }
}

void check_gather_and_scatter(const Tested& tested, int root) {
  const auto ranks = static_cast<std::uint64_t>(tested.hierarchy.size());
  const bool is_root = tested.hierarchy.rank() == root;
  Sizes all_sizes = sizes();
  if (!full && tested.hierarchy.size() <= 3) all_sizes.push_back(kLargeBytes);
  for (const std::uint64_t bytes : all_sizes) {
    const int count = static_cast<int>(bytes);
    const auto place = static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(root) * bytes);
    const Bytes own = noise(bytes, tested.hierarchy.rank()), all = noise(ranks * bytes, 2000);
    Bytes all_theirs(is_root ? ranks * bytes : 0), own_theirs(bytes);
    PMPI_Gather(own.data(), count, MPI_BYTE, all_theirs.data(), count, MPI_BYTE, root, tested.comm);
    PMPI_Scatter(all.data(), count, MPI_BYTE, own_theirs.data(), count, MPI_BYTE, root,
                 tested.comm);
    for (const std::uint64_t segment : {segment_of(bytes), std::uint64_t{0}}) {
      const std::string what = " of " + std::to_string(bytes) + " by " + std::to_string(segment) +
                               ", root " + std::to_string(root);
      Bytes sent = own, all_ours(all_theirs.size());
      if (is_root) std::ranges::copy(own, all_ours.begin() + place);
      gather(tested.hierarchy, sent.data(), all_ours.data(), bytes, root, segment);
      tested.expect(all_ours == all_theirs, "Gather" + what);
      tested.expect(sent == own, "Gather" + what + ": what is sent");
      Bytes all_sent = all, own_ours(bytes);
      scatter(tested.hierarchy, all_sent.data(), own_ours.data(), bytes, root, segment);
      if (is_root) std::copy_n(all.begin() + place, bytes, own_ours.begin());
      tested.expect(own_ours == own_theirs, "Scatter" + what);
      tested.expect(all_sent == all, "Scatter" + what + ": what is sent");
    }
  }
}

// To a root, or to all.
void check_reduction(const Tested& tested, std::optional<int> root, const Elements& elements,
                     const Operator& by, const Sizes& sizes) {
  ++turn;  // the sizes are a multiple of the trees: else each size would keep its tree
  for (const std::uint64_t size : sizes) {
    const std::uint64_t count = size / elements.bytes;
    const Reduction reduction{elements.type, by.op, elements.bytes, count};
    const Bytes own = values(elements, by, count, tested.hierarchy.rank());
    Bytes theirs(own.size());
    const int elements_each = static_cast<int>(count);
    if (root) {
      PMPI_Reduce(own.data(), theirs.data(), elements_each, elements.type, by.op, *root,
                  tested.comm);
    } else {
      PMPI_Allreduce(own.data(), theirs.data(), elements_each, elements.type, by.op, tested.comm);
    }
    const std::string what = (root ? "Reduce to " + std::to_string(*root) : "Allreduce") + " of " +
                             std::to_string(size) + ", " + elements.name + ", " + by.name;
    for (PipelineOptions way : ways_of(root ? "reduce" : "allreduce", segment_of(size))) {
      const auto by_ours = [&](const Bytes& from, Bytes& to) {
        if (root) {
          reduce(tested.hierarchy, from.data(), to.data(), reduction, *root, way);
        } else {
          allreduce(tested.hierarchy, from.data(), to.data(), reduction, way);
        }
      };
      Bytes ours(own.size()), in_place = own;
      by_ours(own, ours);
      if (root) way.segment_bytes = 0;
      by_ours(in_place, in_place);
      const std::string which = what + ", " + name_of(way);
      if (!root || tested.hierarchy.rank() == *root) {
        tested.expect(same(elements, ours, theirs), which);
        tested.expect(same(elements, in_place, theirs), which + ", in place");
      } else {
        tested.expect(in_place == own, which + ": what is sent");
      }
    }
  }
}

// The same bits at each call, on the ranks that have a result: `sum_up` writes this rank's.
template <class SumUp>
Bytes check_same_bits(const Tested& tested, const std::string& what, std::size_t bytes, bool has,
                      SumUp&& sum_up) {
  const bool is_long = full && tested.hierarchy.size() == kRanksOfOperations &&
                       tested.hierarchy.groups().size() == 3;
  const int calls = is_long ? 10'000 : 50;
  Bytes first(bytes), again(bytes);
  sum_up(first.data());
  bool all_same = true;
  for (int i = 1; i < calls; ++i) {
    std::ranges::fill(again, std::byte{0});
    sum_up(again.data());
    all_same = all_same && (!has || again == first);
  }
  tested.expect(all_same, "at each call, what " + what);
  return first;
}

// However often it is called, and on all ranks: sums of which each order of adding has its own.
void check_bit_pattern(const Tested& tested) {
  constexpr std::uint64_t kCount = 125;
  constexpr std::size_t kBytes = kCount * sizeof(double);
  constexpr std::uint64_t kSegment = kSegmentBytes / 4;
  NodeHierarchy& hierarchy = tested.hierarchy;
  const int root = hierarchy.size() - 1;
  const auto ranks = static_cast<std::uint64_t>(hierarchy.size());
  std::vector<double> own;
  for (std::uint64_t i = 0; i < ranks * kCount; ++i) {
    const double number = static_cast<double>(i) + 131.0 * hierarchy.rank();
    own.push_back(std::ldexp(1 + 1 / (number + 1), static_cast<int>(number) * 7 % 40 - 20));
  }
  const auto* from = reinterpret_cast<const std::byte*>(own.data());
  const Reduction sum{MPI_DOUBLE, MPI_SUM, sizeof(double), kCount};
  for (const PipelineOptions& way : ways_of("allreduce", kSegment)) {
    const std::string what = "Allreduce gives by " + name_of(way);
    const Bytes first = check_same_bits(tested, what, kBytes, true, [&](std::byte* to) {
      allreduce(hierarchy, from, to, sum, way);
    });
    Bytes of_rank_0 = first;
    PMPI_Bcast(of_rank_0.data(), static_cast<int>(kBytes), MPI_BYTE, 0, tested.comm);
    tested.expect(first == of_rank_0, "on each rank, what " + what);
  }
  for (const PipelineOptions& way : ways_of("reduce", kSegment)) {
    check_same_bits(tested, "Reduce gives by " + name_of(way), kBytes, hierarchy.rank() == root,
                    [&](std::byte* to) { reduce(hierarchy, from, to, sum, root, way); });
  }
  const Reduction sums{MPI_DOUBLE, MPI_SUM, sizeof(double), ranks * kCount};
  const std::vector<std::uint64_t> counts(ranks, kCount);
  check_same_bits(tested, "Reduce_scatter_block gives", kBytes, true, [&](std::byte* to) {
    reduce_scatter(hierarchy, from, to, sums, counts, kSegment);
  });
}

// Blocks of `size` bytes, or of nothing to half as much again.
void check_reduce_scatter(const Tested& tested, const Elements& elements, const Operator& by,
                          std::uint64_t size, bool equal) {
  const auto self = static_cast<std::size_t>(tested.hierarchy.rank());
  std::vector<std::uint64_t> counts;
  std::uint64_t all_count = 0;
  for (int rank = 0; rank < tested.hierarchy.size(); ++rank) {
    const std::uint64_t count = size / elements.bytes;
    counts.push_back(equal ? count : count * (static_cast<std::uint64_t>(rank) % 4) / 2);
    all_count += counts.back();
  }
  const std::vector<int> int_counts(counts.begin(), counts.end());
  const Reduction reduction{elements.type, by.op, elements.bytes, all_count};
  const Bytes own = values(elements, by, all_count, tested.hierarchy.rank());
  Bytes ours(counts[self] * elements.bytes), theirs(ours.size()), in_place = own;
  reduce_scatter(tested.hierarchy, own.data(), ours.data(), reduction, counts, segment_of(size));
  reduce_scatter(tested.hierarchy, in_place.data(), in_place.data(), reduction, counts, 0);
  in_place.resize(ours.size());
  if (equal) {
    PMPI_Reduce_scatter_block(own.data(), theirs.data(), int_counts[self], elements.type, by.op,
                              tested.comm);
  } else {
    PMPI_Reduce_scatter(own.data(), theirs.data(), int_counts.data(), elements.type, by.op,
                        tested.comm);
  }
  const std::string what = (equal ? "Reduce_scatter_block of " : "Reduce_scatter of ") +
                           std::to_string(size) + ", " + elements.name + ", " + by.name;
  tested.expect(same(elements, ours, theirs), what);
  tested.expect(same(elements, in_place, theirs), what + ", in place");
}

// Types and operators do not know of roots, trees and nodes, nor these of them: each root meets
// some of the types, by turns, and each number of ranks all of them, at one root.
void check_some_types(const Tested& tested, int root) {
  const std::vector<Elements>& all = all_elements();
  for (int i = 0; i < 4; ++i, ++type_turn) {
    const Elements& elements = all[type_turn % all.size()];
    const Operator& by = elements.operators[type_turn % elements.operators.size()];
    check_reduction(tested, root, elements, by, sizes(elements.bytes));
    if (root != 0) continue;
    check_reduction(tested, std::nullopt, elements, by, sizes(elements.bytes));
    for (const std::uint64_t size : sizes(elements.bytes)) {
      for (const bool equal : {false, true}) {
        check_reduce_scatter(tested, elements, by, size, equal);
      }
    }
  }
}

void check_all_types(const Tested& tested) {
  for (const Elements& elements : all_elements()) {
    const Sizes sizes = sizes_around_a_segment(elements.bytes);
    for (const Operator& by : elements.operators) {
      check_reduction(tested, turn % tested.hierarchy.size(), elements, by, sizes);
      check_reduction(tested, std::nullopt, elements, by, sizes);
      check_reduce_scatter(tested, elements, by, sizes.back(), turn % 2 == 0);
    }
  }
}

void check_allgather(const Tested& tested) {
  for (const AllgatherAlgorithm algorithm :
       {AllgatherAlgorithm::kLeaders, AllgatherAlgorithm::kRing, AllgatherAlgorithm::kNeighbors}) {
    Sizes all_sizes = sizes();  // and more than the first areas hold
    if (!full && tested.hierarchy.size() <= 3) all_sizes.push_back(kLargeBytes);
    for (const std::uint64_t bytes : all_sizes) {
      for (const std::uint64_t segment : {segment_of(bytes), std::uint64_t{0}}) {
        const Bytes own = noise(bytes, tested.hierarchy.rank());
        const auto ranks = static_cast<std::uint64_t>(tested.hierarchy.size());
        Bytes ours(ranks * bytes), theirs(ranks * bytes);
        std::ranges::copy(own, ours.begin() + tested.hierarchy.rank() * static_cast<long>(bytes));
        allgather(tested.hierarchy, ours.data(), bytes, algorithm, segment);
        PMPI_Allgather(own.data(), static_cast<int>(bytes), MPI_BYTE, theirs.data(),
                       static_cast<int>(bytes), MPI_BYTE, tested.comm);
        tested.expect(ours == theirs, "Allgather of " + std::to_string(bytes) + ", " +
                                          std::string(to_string(algorithm)));
      }
    }
  }
}

// Blocks from nothing to half as much again, and all data of one rank.
void check_allgatherv(const Tested& tested) {
  const auto ranks = static_cast<std::size_t>(tested.hierarchy.size());
  const auto self = static_cast<std::size_t>(tested.hierarchy.rank());
  for (const std::uint64_t bytes : sizes()) {
    for (const bool of_one : {false, true}) {
      std::vector<std::uint64_t> sizes;
      std::vector<int> counts, places;
      int all_bytes = 0;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        sizes.push_back(of_one ? (rank == ranks / 2 ? bytes : 0) : bytes * (rank % 4) / 2);
        counts.push_back(static_cast<int>(sizes.back()));
        places.push_back(all_bytes);
        all_bytes += counts.back();
      }
      const Bytes own = noise(sizes[self], tested.hierarchy.rank());
      Bytes theirs(static_cast<std::size_t>(all_bytes));
      PMPI_Allgatherv(own.data(), counts[self], MPI_BYTE, theirs.data(), counts.data(),
                      places.data(), MPI_BYTE, tested.comm);
      for (const AllgatherAlgorithm algorithm :
           {AllgatherAlgorithm::kLeaders, AllgatherAlgorithm::kRing,
            AllgatherAlgorithm::kNeighbors}) {
        Bytes ours(theirs.size());
        std::ranges::copy(own, ours.begin() + places[self]);
        allgatherv(tested.hierarchy, ours.data(), sizes, algorithm, segment_of(bytes));
        tested.expect(ours == theirs, "Allgatherv of " + std::to_string(bytes) + ", " +
                                          std::string(to_string(algorithm)));
      }
    }
  }
}

// More segments than the tag of a message can tell.
void check_many_segments(const Tested& tested) {
  constexpr std::uint64_t kBytes = 5000;
  const PipelineOptions by_byte{.shape = TreeShape::kChain, .segment_bytes = 1};
  const int rank = tested.hierarchy.rank();
  const Bytes own = noise(kBytes, rank);
  Bytes ours = own, theirs = own;
  bcast(tested.hierarchy, ours.data(), kBytes, 0, by_byte);
  PMPI_Bcast(theirs.data(), kBytes, MPI_BYTE, 0, tested.comm);
  tested.expect(ours == theirs, "Bcast of many segments");
  const Reduction reduction{.type = MPI_BYTE, .op = MPI_BXOR, .count = kBytes};
  PMPI_Allreduce(own.data(), theirs.data(), kBytes, MPI_BYTE, MPI_BXOR, tested.comm);
  for (const LeaderAlgorithm algorithm : {LeaderAlgorithm::kTree, LeaderAlgorithm::kRing}) {
    PipelineOptions way = by_byte;
    way.algorithm = algorithm;
    std::ranges::fill(ours, std::byte{0});
    allreduce(tested.hierarchy, own.data(), ours.data(), reduction, way);
    tested.expect(ours == theirs, "Allreduce of many segments, " + name_of(way));
  }
  const std::uint64_t all_bytes = kBytes * static_cast<std::uint64_t>(tested.hierarchy.size());
  Bytes our_all(all_bytes), their_all(all_bytes);
  PMPI_Allgather(own.data(), kBytes, MPI_BYTE, their_all.data(), kBytes, MPI_BYTE, tested.comm);
  for (const AllgatherAlgorithm algorithm :
       {AllgatherAlgorithm::kLeaders, AllgatherAlgorithm::kRing, AllgatherAlgorithm::kNeighbors}) {
    std::ranges::fill(our_all, std::byte{0});
    std::ranges::copy(own, our_all.begin() + static_cast<long>(kBytes) * rank);
    allgather(tested.hierarchy, our_all.data(), kBytes, algorithm, 1);
    tested.expect(our_all == their_all, "Allgather of many segments");
  }
  if (tested.hierarchy.size() > 3) return;  // what follows takes long between hosts
  check_exchanges_of_many_segments(tested);
}

// The leaders after one that comes late have much under way that it has not asked for.
void check_late_leader(const Tested& tested) {
  constexpr timespec kLate{.tv_sec = 0, .tv_nsec = 30'000'000};
  constexpr std::uint64_t kSegmentsEach = 12, kSegmentNumbers = kLargeSegmentBytes / 8;
  const std::vector<Group>& groups = tested.hierarchy.groups();
  const std::uint64_t count = kSegmentsEach * kSegmentNumbers * groups.size();
  const Reduction sum{MPI_UINT64_T, MPI_SUM, sizeof(std::uint64_t), count};
  const int rank = tested.hierarchy.rank();
  std::vector<std::uint64_t> own, theirs(count);
  for (std::uint64_t i = 0; i < count; ++i) own.push_back(i * static_cast<std::uint64_t>(rank + 1));
  PMPI_Reduce(own.data(), theirs.data(), static_cast<int>(count), MPI_UINT64_T, MPI_SUM, 0,
              tested.comm);
  for (std::size_t late = 0; late < groups.size(); ++late) {
    std::vector<std::uint64_t> ours(count);
    PMPI_Barrier(tested.comm);
    if (rank == tested.hierarchy.leader_of(static_cast<int>(late), 0)) {
      ::nanosleep(&kLate, nullptr);
    }
    reduce(tested.hierarchy, reinterpret_cast<const std::byte*>(own.data()),
           reinterpret_cast<std::byte*>(ours.data()), sum, 0,
           *pipeline_options("reduce", "ring", kLargeSegmentBytes));
    tested.expect(rank != 0 || ours == theirs, "Reduce by ring, where a leader is late,");
  }
}

enum class Extent { kExchanges, kOperations, kOperationsOfAllTypes };

void check_hierarchy(MPI_Comm comm, const HierarchyOptions& options, const std::string& name,
                     Extent extent) {
  NodeHierarchy hierarchy(comm, options);
  const Tested tested{hierarchy, comm, name};
  const int ranks = hierarchy.size();
  turn = ranks + static_cast<int>(hierarchy.groups().size());
  type_turn =
      static_cast<std::size_t>(5 * ranks + 11 * turn);  // each hierarchy begins with another
  check_barrier(tested);
  // First, while areas are as small as they ever are.
  if (extent != Extent::kExchanges) check_allgather(tested);
  if (extent != Extent::kExchanges) check_allgatherv(tested);
  check_alltoall(tested);
  check_alltoallv(tested);
  if (extent == Extent::kExchanges) return;
  if (ranks >= 3 && ranks <= 5) check_many_segments(tested);
  if (ranks >= 3 && ranks <= 5) check_late_leader(tested);
  check_bit_pattern(tested);
  for (int root = 0; root < ranks; ++root) {
    if (!full && ranks > 3 && root != 0 && root != ranks / 2 && root != ranks - 1) continue;
    check_bcast(tested, root);
    check_gather_and_scatter(tested, root);
    check_some_types(tested, root);
  }
  if (extent == Extent::kOperationsOfAllTypes) check_all_types(tested);
}

// Whoever is not of a hierarchy waits for those that are without a core of its own.
void meet() {
  constexpr timespec kNap{.tv_sec = 0, .tv_nsec = 1'000'000};
  MPI_Request all = MPI_REQUEST_NULL;
  PMPI_Ibarrier(MPI_COMM_WORLD, &all);
  for (int here = 0; !here;) {
    ::nanosleep(&kNap, nullptr);
    PMPI_Test(&all, &here, MPI_STATUS_IGNORE);
  }
}

bool is_checked(int ranks, int nodes, bool dealt) {
  if (dealt && (nodes == 1 || nodes == ranks)) return false;  // the same as in blocks
  if (full) return true;
  return ranks > kRanksOfOperations ? nodes == ranks : nodes != 4 && nodes <= kNodesOfOperations;
}

Extent extent_of(int ranks, int nodes, bool dealt) {
  if (nodes > kNodesOfOperations) return Extent::kExchanges;
  return (full || ranks == 3) && nodes == std::min(ranks, 2) && !dealt
             ? Extent::kOperationsOfAllTypes
             : Extent::kOperations;
}

void check_all(int world, int rank, CopyMethod copies) {
  for (int ranks = 1; ranks <= world; ++ranks) {
    if (!full && ranks > 3 && ranks != kRanksOfOperations && ranks != world) continue;
    MPI_Comm comm = MPI_COMM_NULL;
    // Ranks in another order than the job's.
    PMPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, -rank, &comm);
    if (comm != MPI_COMM_NULL) {
      if (ranks == world && ranks >= 4) check_physical_order(comm, copies);
      if (ranks == world && ranks >= 4) check_who_sends_to_whom(comm, copies);
      for (int nodes = 1; nodes <= std::min(ranks, kNodesMax); ++nodes) {
        for (const bool dealt : {false, true}) {
          if (!is_checked(ranks, nodes, dealt)) continue;
          const HierarchyOptions options{
              .copies = copies,
              .nodes = dealt ? nodes_by_turns(ranks, nodes) : nodes_in_blocks(ranks, nodes)};
          check_hierarchy(comm, options,
                          std::to_string(nodes) + (dealt ? " nodes by turns" : " nodes in blocks"),
                          extent_of(ranks, nodes, dealt));
        }
      }
      PMPI_Comm_free(&comm);
    }
    meet();
  }
}

volatile std::sig_atomic_t exit_code = 0;

extern "C" void leave_now(int) { ::_exit(exit_code); }

// MPICH over UCX's TCP may hang in MPI_Finalize (control/mpi_job.cpp).
void leave(int code) {
  constexpr unsigned kPatienceS = 5;
  std::fflush(nullptr);
  exit_code = code;
  ::signal(SIGALRM, leave_now);
  ::alarm(kPatienceS);
  MPI_Finalize();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, world = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  const std::string way = argv[argc - 1], option = argc > 2 ? argv[1] : "";
  full = option == "--full";
  const CopyMethod copies = way == "attach"  ? CopyMethod::kAttach
                            : way == "areas" ? CopyMethod::kAreas
                                             : CopyMethod::kMessages;
  if (option == "--hosts") {
    check_hierarchy(MPI_COMM_WORLD, {.copies = copies}, "hosts", Extent::kOperations);
  } else {
    check_all(world, rank, copies);
  }
  long all[2] = {checks, failures}, sums[2] = {0, 0};
  PMPI_Allreduce(all, sums, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%ld checks, %ld failures\n", sums[0], sums[1]);
  const int code = sums[1] == 0 && sums[0] > 0 ? 0 : 1;
  leave(code);
  return code;
}
