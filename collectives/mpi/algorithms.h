// SPDX-License-Identifier: BSD-3-Clause
//
// The hierarchical algorithms, over bytes that lie together (paper "HierKNEM", 3.2 to 3.4).
//
// All ranks of the hierarchy call the same one with the same arguments. Where only their bytes
// differ, one at least gets an Error (of a Bcast not always, see there), and others may wait for
// it. Segments are what a message between leaders carries; a segment of 0 is the whole. Errors of
// the MPI come as MpiFailure, or end the job, as the communicator's error handler says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "collectives/mpi/node_hierarchy.h"
#include "collectives/tree.h"

namespace nmt::collectives {

struct PipelineOptions {
  TreeShape shape = TreeShape::kChain;
  std::uint64_t segment_bytes = 0;
};

// Algorithm 1. Leaders pass segments on along a tree that begins at the root's node; the others
// fetch each from their leader while it passes the next on, and those of the root's node fetch all
// at once. Along a chain of n leaders, s segments take n - 2 + s times what one takes on the wire.
// Returns how many bytes came: fewer, without an Error, where the root gives fewer; and whether it
// gives more than this rank expects, who then got the first ones.
struct BcastResult {
  std::uint64_t bytes = 0;
  bool has_more = false;
};
BcastResult bcast(NodeHierarchy& hierarchy, std::byte* data, std::uint64_t bytes, int root,
                  const PipelineOptions& pipeline);

// What is reduced: elements of a predefined type, each of so many bytes in memory, by an operation
// that commutes.
struct Reduction {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  std::uint64_t element_bytes = 1;
  std::uint64_t count = 0;
};

// Algorithm 2. The first leader of a group receives, combines and sends segments between nodes;
// meanwhile the others, of which the paper's second leader is one, combine those of the group, each
// a part of every segment, into shared memory. `result` is the root's, and may be its `own`.
void reduce(NodeHierarchy& hierarchy, const std::byte* own, std::byte* result,
            const Reduction& reduction, int root, const PipelineOptions& pipeline);

// To the leader of the first group and from there to all: what has come up goes down while the rest
// is still coming up, each way of a link carrying one of the two. Within a group, what has come
// down is copied once all is combined.
void allreduce(NodeHierarchy& hierarchy, const std::byte* own, std::byte* result,
               const Reduction& reduction, const PipelineOptions& pipeline);

// kLeaders: leaders collect what their groups have and pass it around a ring of nodes, and the
// others fetch what is new. kRing: all ranks in one ring. kNeighbors: with the neighbor on either
// side by turns, two ranks' data at a time; a ring where the number of ranks is odd. Rings are in
// physical order: only at its ends does a node talk to another.
enum class AllgatherAlgorithm { kLeaders, kRing, kNeighbors };
std::string_view to_string(AllgatherAlgorithm algorithm);
std::optional<AllgatherAlgorithm> parse_allgather_algorithm(std::string_view text);

// `all` has room for `bytes` of each rank, in order of ranks, and what is this rank's is there.
void allgather(NodeHierarchy& hierarchy, std::byte* all, std::uint64_t bytes,
               AllgatherAlgorithm algorithm, std::uint64_t segment_bytes);

}  // namespace nmt::collectives
