// SPDX-License-Identifier: BSD-3-Clause
#include <charconv>
#include <span>
#include <utility>
#include <vector>

#include "collectives/mpi/algorithms/algorithms.h"
#include "collectives/mpi/algorithms/exchange_messages.h"
#include "collectives/mpi/algorithms/rank_exchange.h"

namespace nmt::collectives {
namespace {

constexpr std::string_view kPairwise = "pairwise", kDirect = "direct";
constexpr std::uint64_t kWindowMax = 1024;

std::size_t own_group(const NodeHierarchy& hierarchy) {
  return static_cast<std::size_t>(hierarchy.group_of(hierarchy.rank()));
}

}  // namespace

std::optional<AlltoallAlgorithm> parse_alltoall_algorithm(std::string_view text) {
  if (text == kByNodes) return AlltoallAlgorithm{};
  if (text == kPairwise) return AlltoallAlgorithm{.window = 1};
  if (!text.starts_with(kDirect)) return std::nullopt;
  AlltoallAlgorithm direct;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data() + kDirect.size(), end, direct.window);
  if (error != std::errc{} || last != end) return std::nullopt;
  if (direct.window == 0 || direct.window > kWindowMax) return std::nullopt;
  return direct;
}

void alltoall(NodeHierarchy& hierarchy, const std::byte* from, std::byte* to, std::uint64_t bytes,
              AlltoallAlgorithm algorithm, std::uint64_t segment_bytes) {
  if (bytes == 0) return;
  const SentBlocks sent{.first = from, .distance_bytes = bytes};
  const ReceivedBlocks received{.first = to, .distance_bytes = bytes};
  hierarchy.create_shared_memory();
  hierarchy.check_same_size(bytes);
  if (!algorithm.by_nodes()) {
    const BlockSizes equal{.each_bytes = bytes};
    return exchange_by_ranks(hierarchy, sent, equal, received, equal, algorithm.window,
                             segment_bytes);
  }
  const NodeExchange exchange(hierarchy.ranks_by_group(), own_group(hierarchy), bytes,
                              segment_bytes);
  exchange_by_nodes(hierarchy, memory_for(hierarchy, exchange, bytes), exchange, sent, received);
}

void alltoallv(NodeHierarchy& hierarchy, const SentBlocks& from, const ReceivedBlocks& to,
               const UnequalSizes& sizes, const AgreedSizes& agreed, AlltoallAlgorithm algorithm,
               std::uint64_t segment_bytes) {
  if (agreed.all_bytes == 0) return;
  if (!algorithm.by_nodes()) {
    return exchange_by_ranks(hierarchy, from, {.by_rank = sizes.sent.data()}, to,
                             {.by_rank = sizes.received.data()}, algorithm.window, segment_bytes);
  }
  hierarchy.create_shared_memory();
  hierarchy.check_same_size(agreed.all_bytes);
  std::vector<std::uint64_t> rows = sizes.sent;
  rows.insert(rows.end(), sizes.received.begin(), sizes.received.end());
  const std::size_t members = hierarchy.own_group().ranks.size();
  NodeSharedMemory* shared_memory = nullptr;
  if (members > 1) {
    shared_memory = hierarchy.shared_memory_with_areas(SharedExchange::area_bytes(
        NodeExchange::memory_bytes_max(agreed.all_bytes, segment_bytes), members, rows.size()));
    rows = shared_memory != nullptr ? share_rows(*shared_memory, rows, hierarchy.waiting())
                                    : hierarchy.gather_in_group(std::span(std::as_const(rows)));
  }
  const NodeExchange exchange(hierarchy.ranks_by_group(), own_group(hierarchy), rows,
                              agreed.all_bytes, segment_bytes);
  if (exchange.steps() == 0) return;
  exchange_by_nodes(hierarchy, shared_memory, exchange, from, to);
}

}  // namespace nmt::collectives
