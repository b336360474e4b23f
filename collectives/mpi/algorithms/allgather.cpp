// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "collectives/mpi/algorithms/algorithms.h"
#include "collectives/mpi/algorithms/block_ranges.h"
#include "collectives/mpi/algorithms/intra_node_bcast.h"
#include "collectives/mpi/algorithms/segment_pipeline.h"

namespace nmt::collectives {
namespace {

constexpr std::array kAllgatherAlgorithms = {
    std::pair{AllgatherAlgorithm::kLeaders, kByLeaders},
    std::pair{AllgatherAlgorithm::kRing, std::string_view("ring")},
    std::pair{AllgatherAlgorithm::kNeighbors, std::string_view("neighbors")}};

// The ranks' data, and into which segments it is divided.
class Blocks {
 public:
  Blocks(std::byte* all, const BlockRanges& ranges, std::uint64_t segment_bytes)
      : all_(all), ranges_(ranges), segment_bytes_(segment_bytes) {}

  Blocks uncut() const { return {all_, ranges_, 0}; }

  Span of(int rank) const { return {all_ + ranges_.begin(rank), ranges_.bytes(rank)}; }

  std::vector<Span> of(const std::vector<int>& ranks) const {
    std::vector<Span> pieces;
    for (const auto& [offset, bytes] : ranges_.segments_of(ranks, segment_bytes_)) {
      pieces.emplace_back(all_ + offset, bytes);
    }
    return pieces;
  }

  Segment segment_at(Span span) const {
    return {static_cast<std::uint64_t>(span.data() - all_), span.size()};
  }

  void check_same_sizes(NodeHierarchy& hierarchy) const {
    hierarchy.check_same_size(ranges_.fingerprint());
  }

 private:
  std::byte* all_;
  const BlockRanges& ranges_;
  std::uint64_t segment_bytes_;
};

// From one rank after the other to the leader of its group; each is one operation of the shared
// memory.
void collect(NodeHierarchy& hierarchy, NodeSharedMemory* shared_memory, const Blocks& blocks,
             int leader) {
  std::vector<std::pair<MPI_Request, Span>> receipts;
  for (const int rank : hierarchy.own_group().ranks) {
    const Span block = blocks.of(rank);
    if (rank == leader || block.empty()) continue;
    if (shared_memory != nullptr) {
      shared_memory->begin();
      if (hierarchy.rank() == rank) {
        shared_memory->begin_stream(block.data(), {hierarchy.member(leader)});
        shared_memory->publish(block.size(), block, hierarchy.waiting());
        shared_memory->wait_for_readers(hierarchy.waiting());
      } else if (hierarchy.rank() == leader) {
        shared_memory->fetch(hierarchy.member(rank), 0, 0, block, hierarchy.waiting());
        shared_memory->leave(hierarchy.member(rank), hierarchy.waiting());
      }
    } else if (hierarchy.rank() == rank) {
      SendPipeline sender(hierarchy, Stream::kGather);
      sender.send(block, leader, 0);
      sender.finish();
    } else if (hierarchy.rank() == leader) {
      MPI_Request& receipt = receipts.emplace_back(MPI_REQUEST_NULL, block).first;
      check(PMPI_Irecv(block.data(), static_cast<int>(block.size()), MPI_BYTE, rank, MPI_ANY_TAG,
                       hierarchy.comm(), &receipt));
    }
  }
  for (auto& [receipt, block] : receipts) {
    MPI_Status status;
    hierarchy.wait(&receipt, &status);
    if (arrival_of(status, block, Stream::kGather).data.size() < block.size()) {
      fail_on_different_counts();
    }
  }
}

// The segments of all groups in the order in which a group's leader gets them: its own group first,
// then the group before it, and so on around the ring.
std::vector<std::vector<Span>> in_order_of_arrival(const NodeHierarchy& hierarchy,
                                                   const Blocks& blocks) {
  const std::vector<Group>& groups = hierarchy.groups();
  const std::size_t own = static_cast<std::size_t>(hierarchy.group_of(hierarchy.rank()));
  std::vector<std::vector<Span>> arrivals;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    arrivals.push_back(blocks.of(groups[(own + groups.size() - i) % groups.size()].ranks));
  }
  return arrivals;
}

// Receives the leader's stream, in pieces of this rank's choice.
void follow_around(NodeHierarchy& hierarchy, std::byte* all, const Blocks& blocks, int leader) {
  IntraNodeBcastLeaf from_leader(hierarchy, hierarchy.shared_memory(), leader, all);
  const Blocks own = from_leader.takes_larger_pieces() ? blocks.uncut() : blocks;
  for (const std::vector<Span>& of_group : in_order_of_arrival(hierarchy, own)) {
    for (const Span& piece : of_group) {
      if (from_leader.take(own.segment_at(piece)) < piece.size()) fail_on_different_counts();
    }
  }
  from_leader.finish();
}

void allgather_by_leaders(NodeHierarchy& hierarchy, std::byte* all, const Blocks& blocks) {
  const std::vector<Group>& groups = hierarchy.groups();
  const std::size_t own = static_cast<std::size_t>(hierarchy.group_of(hierarchy.rank()));
  const int leader = groups[own].leader;
  const int before = groups[(own + groups.size() - 1) % groups.size()].leader;
  const int after = groups[(own + 1) % groups.size()].leader;
  blocks.check_same_sizes(hierarchy);
  NodeSharedMemory* shared_memory = hierarchy.shared_memory();
  collect(hierarchy, shared_memory, blocks, leader);
  if (shared_memory != nullptr) shared_memory->begin();
  if (hierarchy.rank() != leader) return follow_around(hierarchy, all, blocks, leader);
  const std::vector<std::vector<Span>> arrivals = in_order_of_arrival(hierarchy, blocks);
  std::vector<Span> pieces;
  for (const std::vector<Span>& of_group : arrivals) {
    pieces.insert(pieces.end(), of_group.begin(), of_group.end());
  }
  const std::size_t here = arrivals.front().size();
  const std::size_t going = pieces.size() - arrivals.back().size();
  ReceivePipeline receiver(hierarchy,
                           {pieces.begin() + static_cast<std::ptrdiff_t>(here), pieces.end()},
                           before, Stream::kRing);
  SendPipeline sender(hierarchy, Stream::kRing);
  IntraNodeBcastRoot to_node(hierarchy, shared_memory, all);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i >= here) receiver.next();
    if (i < going) sender.send(pieces[i], after, going - 1 - i);
    to_node.publish(blocks.segment_at(pieces[i]), pieces.size() - 1 - i);
  }
  sender.finish();
  to_node.finish();
}

// Within a group, each rank takes from the rank before it; between groups, messages.
void allgather_around_ring(NodeHierarchy& hierarchy, std::byte* all, const Blocks& blocks) {
  const std::vector<int>& order = hierarchy.in_physical_order();
  const std::size_t ranks = order.size();
  const auto own =
      static_cast<std::size_t>(std::ranges::find(order, hierarchy.rank()) - order.begin());
  const int before = order[(own + ranks - 1) % ranks];
  const int after = order[(own + 1) % ranks];
  blocks.check_same_sizes(hierarchy);
  NodeSharedMemory* shared_memory = hierarchy.shared_memory();
  // Each rank waits until the next rank has copied the data out of its area, before it takes data
  // itself. One rank must not wait so; with several groups, that is the last rank of a group.
  if (hierarchy.groups().size() == 1 && shared_memory != nullptr && !shared_memory->all_can_read())
    shared_memory = nullptr;
  const int group = hierarchy.group_of(hierarchy.rank());
  const bool fetches = shared_memory != nullptr && hierarchy.group_of(before) == group;
  const bool shows = shared_memory != nullptr && hierarchy.group_of(after) == group;
  std::vector<Span> coming, going;
  for (std::size_t i = 0; i + 1 < ranks; ++i) {
    const std::vector<Span> mine = blocks.of(std::vector<int>{order[(own + ranks - i) % ranks]});
    const std::vector<Span> next =
        blocks.of(std::vector<int>{order[(own + ranks - i - 1) % ranks]});
    going.insert(going.end(), mine.begin(), mine.end());
    coming.insert(coming.end(), next.begin(), next.end());
  }
  const std::size_t ahead = blocks.of(std::vector<int>{hierarchy.rank()}).size();  // its own

  if (shared_memory != nullptr) shared_memory->begin();
  std::optional<ReceivePipeline> receiver;
  if (!fetches) receiver.emplace(hierarchy, coming, before, Stream::kRing);
  if (shows) shared_memory->begin_stream(all, {hierarchy.member(after)});
  SendPipeline sender(hierarchy, Stream::kRing);
  std::uint64_t shown_bytes = 0, fetched_bytes = 0;
  const auto pass_on = [&](std::size_t i) {
    shown_bytes += going[i].size();
    if (shows) {
      shared_memory->publish(shown_bytes, going[i], hierarchy.waiting());
    } else {
      sender.send(going[i], after, going.size() - 1 - i);
    }
  };
  for (std::size_t i = 0; i < ahead; ++i) pass_on(i);
  for (std::size_t i = 0; i < coming.size(); ++i) {
    if (fetches) {
      shared_memory->fetch(hierarchy.member(before), fetched_bytes,
                           blocks.segment_at(coming[i]).offset, coming[i], hierarchy.waiting());
    } else {
      receiver->next();
    }
    fetched_bytes += coming[i].size();
    if (i + ahead < going.size()) pass_on(i + ahead);
  }
  if (fetches) shared_memory->leave(hierarchy.member(before), hierarchy.waiting());
  sender.finish();
  if (shows) shared_memory->wait_for_readers(hierarchy.waiting());
}

// Exchanges some blocks for others.
void exchange(NodeHierarchy& hierarchy, const std::vector<Span>& send,
              const std::vector<Span>& receive, int with) {
  ReceivePipeline receiver(hierarchy, receive, with, Stream::kRing);
  SendPipeline sender(hierarchy, Stream::kRing);
  for (std::size_t i = 0; i < send.size(); ++i) {
    sender.send(send[i], with, send.size() - 1 - i);
  }
  for (std::size_t i = 0; i < receive.size(); ++i) receiver.next();
  sender.finish();
}

// Places 2k and 2k + 1 are a pair, which first exchanges its blocks. Then each rank gives the
// blocks that it got last, those of two ranks, to its left and right neighbour in turns.
void allgather_with_neighbors(NodeHierarchy& hierarchy, const Blocks& blocks) {
  const std::vector<int>& order = hierarchy.in_physical_order();
  const int ranks = static_cast<int>(order.size());
  const int own = static_cast<int>(std::ranges::find(order, hierarchy.rank()) - order.begin());
  const bool even = own % 2 == 0;
  const auto at = [&](int place) {
    return order[static_cast<std::size_t>((place + ranks) % ranks)];
  };
  const auto pair = [&](int of) {  // the blocks of places 2 of and 2 of + 1
    const int place = (2 * of % ranks + ranks) % ranks;
    return blocks.of(std::vector<int>{at(place), at(place + 1)});
  };
  const int partner = even ? at(own + 1) : at(own - 1);
  exchange(hierarchy, blocks.of(std::vector<int>{hierarchy.rank()}),
           blocks.of(std::vector<int>{partner}), partner);
  // In step t, an even place first talks to its left and then to its right neighbour; an odd place
  // the other way. Each step brings the pair that is one further away.
  int sending = own / 2;
  for (int step = 1; step < ranks / 2; ++step) {
    const bool left = (step % 2 == 1) == even;
    const int distance = (step + 1) / 2;
    const int coming = own / 2 + (left ? -distance : distance);
    exchange(hierarchy, pair(sending), pair(coming), left ? at(own - 1) : at(own + 1));
    sending = coming;
  }
}

void allgather_blocks(NodeHierarchy& hierarchy, std::byte* all, const BlockRanges& ranges,
                      AllgatherAlgorithm algorithm, std::uint64_t segment_bytes) {
  if (hierarchy.size() == 1 || ranges.begin(hierarchy.size()) == 0) return;
  hierarchy.create_shared_memory();
  const Blocks blocks(all, ranges, segment_bytes);
  if (algorithm == AllgatherAlgorithm::kLeaders)
    return allgather_by_leaders(hierarchy, all, blocks);
  if (algorithm == AllgatherAlgorithm::kNeighbors && hierarchy.size() % 2 == 0)
    return allgather_with_neighbors(hierarchy, blocks);
  allgather_around_ring(hierarchy, all, blocks);
}

}  // namespace

std::string_view to_string(AllgatherAlgorithm algorithm) {
  for (const auto& [each, text] : kAllgatherAlgorithms) {
    if (each == algorithm) return text;
  }
  return {};
}

std::optional<AllgatherAlgorithm> parse_allgather_algorithm(std::string_view text) {
  for (const auto& [each, name] : kAllgatherAlgorithms) {
    if (name == text) return each;
  }
  return std::nullopt;
}

void allgather(NodeHierarchy& hierarchy, std::byte* all, std::uint64_t bytes,
               AllgatherAlgorithm algorithm, std::uint64_t segment_bytes) {
  allgather_blocks(hierarchy, all, BlockRanges(bytes), algorithm, segment_bytes);
}

void allgatherv(NodeHierarchy& hierarchy, std::byte* all, std::span<const std::uint64_t> bytes,
                AllgatherAlgorithm algorithm, std::uint64_t segment_bytes) {
  allgather_blocks(hierarchy, all, BlockRanges(bytes, 1), algorithm, segment_bytes);
}

}  // namespace nmt::collectives
