// SPDX-License-Identifier: BSD-3-Clause
//
// The hierarchical algorithms, over contiguous bytes (paper "HierKNEM", 3.2 to 3.4).
//
// All ranks of the hierarchy call the same one with the same arguments. If only their sizes differ,
// at least one rank gets an Error (not always for a Bcast, see there), and others may wait for it.
// Segments are the messages between leaders; 0 means the whole message. An error of the MPI throws
// MpiFailure, or ends the job if the communicator's error handler does that.
//
// In reading order:
//   bcast                Bcast
//   reduce               Reduce
//   allreduce            Allreduce
//   allgather            Allgather and Allgatherv
//   barrier              Barrier
//   alltoall             Alltoall and Alltoallv
//   gather               Gather and Scatter
//   reduce_scatter       Reduce_scatter and Reduce_scatter_block
//   unequal_sizes        what the ranks of an Alltoallv find out together
//   exchange_messages    an Alltoall, a Gather or a Scatter by one message for two nodes
//   rank_exchange        an Alltoall between ranks
//   block_ranges         where the blocks of all ranks are in a buffer
//   tree_neighbors       the neighbours of a leader in the tree
//   bcast_pipeline       segments down the tree of leaders
//   reduce_pipeline      segments up the tree of leaders, reduced
//   recursive_doubling   short data of all groups, combined by their leaders
//   ring_pipeline        segments around a ring of leaders, reduced and gathered
//   segment_pipeline     segments between two ranks
//   intra_node_bcast     from a leader to the ranks of its node
//   group_reduce         reduces within a group
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "collectives/mpi/algorithms/unequal_sizes.h"
#include "collectives/mpi/hierarchy/node_hierarchy.h"
#include "collectives/node_exchange.h"
#include "collectives/tree.h"

namespace nmt::collectives {

// The ranks of a group tell their leader that they have come. Then leaders tell each other, in
// rounds whose distance doubles (a dissemination barrier). Then leaders release their groups.
inline constexpr std::string_view kDissemination = "dissemination";
void barrier(NodeHierarchy& hierarchy);

// How data goes between leaders in a Bcast, a Reduce or an Allreduce. kTree: along a tree. kRing
// (not in a Bcast): leaders reduce parts of the data around a ring.
//
// kInline (in a Bcast or a Reduce) and kRecursiveDoubling (in an Allreduce) are for short messages,
// which are not divided: within a node, each rank copies its data once, through the slots of shared
// memory (NodeSharedMemory). A message that is not short goes along the tree.
enum class LeaderAlgorithm { kTree, kRing, kRecursiveDoubling, kInline };

struct PipelineOptions {
  TreeShape shape = TreeShape::kChain;
  std::uint64_t segment_bytes = 0;
  LeaderAlgorithm algorithm = LeaderAlgorithm::kTree;
};
// By its name: that of a tree, or another one. nullopt if the operation has no such algorithm.
std::optional<PipelineOptions> pipeline_options(std::string_view operation,
                                                std::string_view algorithm,
                                                std::uint64_t segment_bytes);

// Algorithm 1. Leaders pass segments on along a tree that begins at the root's node. The other
// ranks fetch each segment from their leader while it passes on the next; those of the root's node
// fetch all data at once. Along a chain of n leaders, s segments take n - 2 + s times the duration
// of one on the wire. Returns how many bytes arrived: fewer, without an Error, if the root sends
// fewer. `has_more`: the root sends more than this rank expects; this rank has got the first ones.
//
// kInline: leaders pass the whole message on along the tree. Each leader puts it into its slot of
// shared memory, from which its ranks copy it.
struct BcastResult {
  std::uint64_t bytes = 0;
  bool has_more = false;
};
BcastResult bcast(NodeHierarchy& hierarchy, std::byte* data, std::uint64_t bytes, int root,
                  const PipelineOptions& pipeline);

// What is reduced: elements of a predefined type, with their size in memory, by a commutative
// operator.
struct Reduction {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  std::uint64_t element_bytes = 1;
  std::uint64_t count = 0;
};

// Algorithm 2. The first leader of a group receives, combines and sends segments between nodes. At
// the same time the other ranks of the group (in the paper only the second leader) combine the
// group's data into shared memory, each a part of every segment. `result` is used at the root, and
// may be equal to `own`.
//
// kRing: leaders reduce parts of the data around a ring. Then each leader has one complete part,
// and sends it to the root. So all leaders combine at the same time; along a tree, they combine one
// after the other.
//
// kInline: each leader combines what its ranks put into their slots, and passes the sum up a tree.
void reduce(NodeHierarchy& hierarchy, const std::byte* own, std::byte* result,
            const Reduction& reduction, int root, const PipelineOptions& pipeline);

// A Reduce to the leader of the first group, and a Bcast from it. Results that have arrived go down
// while the rest still goes up, so each direction of a link carries one of the two. Within a group,
// the result is copied once everything is combined.
//
// kRing: leaders reduce parts of the data around a ring, and then gather the parts around the same
// ring. Each direction of a link carries 2 (n - 1) / n of the data. The ranks of a group copy each
// part as it comes.
//
// kRecursiveDoubling: each leader combines what its ranks put into their slots. Leaders exchange
// and combine these sums in rounds. Then each leader puts the result into its slot.
void allreduce(NodeHierarchy& hierarchy, const std::byte* own, std::byte* result,
               const Reduction& reduction, const PipelineOptions& pipeline);

// kLeaders: leaders collect the data of their groups and pass it around a ring of nodes, while the
// other ranks fetch new data. kRing: all ranks form one ring. kNeighbors: each rank exchanges with
// its neighbours in turns, the data of two ranks at a time; a ring if the number of ranks is odd.
// Rings are in physical order, so only their ends on a node communicate with another node, and they
// cross between two sockets or NUMA nodes of a node once.
enum class AllgatherAlgorithm { kLeaders, kRing, kNeighbors };
std::string_view to_string(AllgatherAlgorithm algorithm);
std::optional<AllgatherAlgorithm> parse_allgather_algorithm(std::string_view text);

// `all` has space for `bytes` of each rank, in rank order; this rank's data is already in place.
void allgather(NodeHierarchy& hierarchy, std::byte* all, std::uint64_t bytes,
               AllgatherAlgorithm algorithm, std::uint64_t segment_bytes);
// The same for blocks of any sizes, by rank, one after the other.
void allgatherv(NodeHierarchy& hierarchy, std::byte* all, std::span<const std::uint64_t> bytes,
                AllgatherAlgorithm algorithm, std::uint64_t segment_bytes);

// Each leader combines the data of its group as in a Reduce. It sends every other group's leader
// the blocks of that group's ranks, and adds up the blocks of its own ranks that it receives.
// `reduction` describes all blocks together, and `counts` the elements of each, by rank. `result`
// has space for this rank's block; it may be where `own` begins.
inline constexpr std::string_view kByLeaders = "leaders";
void reduce_scatter(NodeHierarchy& hierarchy, const std::byte* own, std::byte* result,
                    const Reduction& reduction, std::span<const std::uint64_t> counts,
                    std::uint64_t segment_bytes);

// Gather: the ranks of each group fill one message, which their leader sends to the root's group.
// Scatter: the leader of each group receives one message from the root's group, out of which its
// ranks copy their blocks. `all` has `bytes` for each rank, in rank order, and is used at the root
// only; `own` is used at all other ranks. The root's own block stays where it is.
inline constexpr std::string_view kByNodes = "nodes";
void gather(NodeHierarchy& hierarchy, const std::byte* own, std::byte* all, std::uint64_t bytes,
            int root, std::uint64_t segment_bytes);
void scatter(NodeHierarchy& hierarchy, const std::byte* all, std::byte* own, std::uint64_t bytes,
             int root, std::uint64_t segment_bytes);

// "nodes": the ranks of a group fill one message for each other group, which their leaders exchange
// in rounds (collectives/node_exchange.h). "pairwise": each rank sends each block by itself, in
// lockstep. In a round each node sends to one other node, and a rank sends after the receiver has
// let it begin (rank_exchange.h).
// "direct4": the same, with four messages of each rank under way.
struct AlltoallAlgorithm {
  std::uint64_t window = 0;  // messages of a rank; 0: of nodes

  bool by_nodes() const { return window == 0; }
};
std::optional<AlltoallAlgorithm> parse_alltoall_algorithm(std::string_view text);

// `from` has `bytes` for each rank and `to` has space for `bytes` of each, in rank order; they do
// not overlap.
void alltoall(NodeHierarchy& hierarchy, const std::byte* from, std::byte* to, std::uint64_t bytes,
              AlltoallAlgorithm algorithm, std::uint64_t segment_bytes);

// The same for blocks of any sizes. `sizes` are those of this rank, and `agreed` is what all ranks
// have found of theirs together (unequal_sizes.h). Blocks do not overlap.
void alltoallv(NodeHierarchy& hierarchy, const SentBlocks& from, const ReceivedBlocks& to,
               const UnequalSizes& sizes, const AgreedSizes& agreed, AlltoallAlgorithm algorithm,
               std::uint64_t segment_bytes);

}  // namespace nmt::collectives
