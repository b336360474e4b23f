// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <vector>

#include "collectives/mpi/algorithms/algorithms.h"
#include "collectives/mpi/algorithms/exchange_messages.h"

namespace nmt::collectives {
namespace {

void move_blocks(NodeHierarchy& hierarchy, const SentBlocks& from, const ReceivedBlocks& to,
                 std::uint64_t bytes, int root, bool from_root, std::uint64_t segment_bytes) {
  if (hierarchy.size() == 1 || bytes == 0) return;
  hierarchy.create_shared_memory();
  hierarchy.check_same_size(bytes);
  const auto ranks = static_cast<std::size_t>(hierarchy.size());
  RootedBlocks blocks{
      .root = root, .from_root = from_root, .bytes = std::vector<std::uint64_t>(ranks, bytes)};
  blocks.bytes[static_cast<std::size_t>(root)] = 0;
  const NodeExchange exchange(hierarchy.ranks_by_group(),
                              static_cast<std::size_t>(hierarchy.group_of(hierarchy.rank())),
                              blocks, segment_bytes);
  exchange_by_nodes(hierarchy, memory_for(hierarchy, exchange, bytes), exchange, from, to, root);
}

}  // namespace

void gather(NodeHierarchy& hierarchy, const std::byte* own, std::byte* all, std::uint64_t bytes,
            int root, std::uint64_t segment_bytes) {
  move_blocks(hierarchy, {.first = own}, {.first = all, .distance_bytes = bytes}, bytes, root,
              false, segment_bytes);
}

void scatter(NodeHierarchy& hierarchy, const std::byte* all, std::byte* own, std::uint64_t bytes,
             int root, std::uint64_t segment_bytes) {
  move_blocks(hierarchy, {.first = all, .distance_bytes = bytes}, {.first = own}, bytes, root, true,
              segment_bytes);
}

}  // namespace nmt::collectives
