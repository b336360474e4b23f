// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <utility>
#include <vector>

#include "collectives/mpi/algorithms.h"
#include "collectives/mpi/exchange_messages.h"

namespace nmt::collectives {
namespace {

constexpr std::string_view kNodesName = "nodes";

NodeExchange exchange_of(const NodeHierarchy& hierarchy, std::uint64_t bytes,
                         std::uint64_t segment_bytes) {
  std::vector<std::vector<int>> groups;
  for (const Group& group : hierarchy.groups()) groups.push_back(group.ranks);
  return {std::move(groups), static_cast<std::size_t>(hierarchy.group_of(hierarchy.rank())), bytes,
          segment_bytes};
}

std::unique_ptr<GroupExchange> group_of(NodeHierarchy& hierarchy, const NodeExchange& exchange,
                                        const std::byte* from, std::byte* to, int leader) {
  NodeSharedMemory* shared_memory =
      exchange.own_ranks().size() == 1
          ? nullptr
          : hierarchy.shared_memory_with_areas(SharedExchange::area_bytes(exchange));
  if (shared_memory == nullptr)
    return std::make_unique<MemberMessages>(hierarchy, exchange, from, to, leader);
  return std::make_unique<SharedExchange>(*shared_memory, exchange, from, to,
                                          hierarchy.member(leader), hierarchy.waiting());
}

}  // namespace

std::string_view to_string(AlltoallAlgorithm) { return kNodesName; }

std::optional<AlltoallAlgorithm> parse_alltoall_algorithm(std::string_view text) {
  if (text != kNodesName) return std::nullopt;
  return AlltoallAlgorithm::kNodes;
}

void alltoall(NodeHierarchy& hierarchy, const std::byte* from, std::byte* to, std::uint64_t bytes,
              AlltoallAlgorithm, std::uint64_t segment_bytes) {
  if (bytes == 0) return;
  hierarchy.create_shared_memory();
  hierarchy.check_same_size(bytes);
  const NodeExchange exchange = exchange_of(hierarchy, bytes, segment_bytes);
  const int leader = hierarchy.own_group().leader;
  const std::unique_ptr<GroupExchange> group = group_of(hierarchy, exchange, from, to, leader);
  if (hierarchy.rank() != leader) return follow(exchange, *group);
  LeaderMessages network(hierarchy, exchange);
  lead(exchange, *group, network);
}

}  // namespace nmt::collectives
