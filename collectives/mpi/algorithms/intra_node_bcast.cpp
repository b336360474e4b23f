// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms/intra_node_bcast.h"

#include <algorithm>

namespace nmt::collectives {

void show_short(NodeHierarchy& hierarchy, std::span<const std::byte> data) {
  if (hierarchy.own_group().ranks.size() == 1) return;
  if (NodeSharedMemory* shared_memory = hierarchy.shared_memory()) {
    return shared_memory->show(data, hierarchy.waiting());
  }
  IntraNodeBcastRoot to_node(hierarchy, nullptr, data.data());
  to_node.publish({0, data.size()}, 0);
  to_node.finish();
}

std::uint64_t take_short(NodeHierarchy& hierarchy, int leader, Span data) {
  if (NodeSharedMemory* shared_memory = hierarchy.shared_memory()) {
    return shared_memory->take(hierarchy.member(leader), data, hierarchy.waiting());
  }
  IntraNodeBcastLeaf from_leader(hierarchy, nullptr, leader, data.data());
  const std::uint64_t bytes = from_leader.take({0, data.size()});
  from_leader.finish();
  return bytes;
}

IntraNodeBcastRoot::IntraNodeBcastRoot(NodeHierarchy& hierarchy, NodeSharedMemory* shared_memory,
                                       const std::byte* data)
    : hierarchy_(hierarchy), shared_memory_(shared_memory), data_(data) {
  std::vector<int> members;
  for (const int rank : hierarchy.own_group().ranks) {
    if (rank == hierarchy.rank()) continue;
    others_.push_back(rank);
    members.push_back(hierarchy.member(rank));
  }
  if (shared_memory_ != nullptr) shared_memory_->begin_stream(data, std::move(members));
}

void IntraNodeBcastRoot::publish(const Segment& segment, std::uint64_t left) {
  position_ += segment.bytes;
  const std::byte* fresh = data_ + segment.offset;
  if (shared_memory_ != nullptr) {
    shared_memory_->publish(position_, {fresh, segment.bytes}, hierarchy_.waiting(), left == 0);
    return;
  }
  for (const int rank : others_) {
    check(PMPI_Isend(fresh, static_cast<int>(segment.bytes), MPI_BYTE, rank,
                     tag_of(Stream::kSpread, left), hierarchy_.comm(), &sends_.emplace_back()));
  }
}

void IntraNodeBcastRoot::finish() {
  if (shared_memory_ != nullptr) shared_memory_->wait_for_readers(hierarchy_.waiting());
  for (MPI_Request& send : sends_) hierarchy_.wait(&send);
}

IntraNodeBcastLeaf::IntraNodeBcastLeaf(NodeHierarchy& hierarchy, NodeSharedMemory* shared_memory,
                                       int leader, std::byte* data)
    : hierarchy_(hierarchy), shared_memory_(shared_memory), leader_(leader), data_(data) {}

std::uint64_t IntraNodeBcastLeaf::take(const Segment& segment) {
  const Span place(data_ + segment.offset, segment.bytes);
  if (shared_memory_ == nullptr) return receive(place);
  const std::uint64_t bytes = shared_memory_->fetch(hierarchy_.member(leader_), position_,
                                                    segment.offset, place, hierarchy_.waiting());
  position_ += bytes;
  return bytes;
}

std::uint64_t IntraNodeBcastLeaf::receive(const Span& place) {
  MPI_Request receipt = MPI_REQUEST_NULL;
  MPI_Status status;
  if (left_ == 0) return 0;
  check(PMPI_Irecv(place.data(), static_cast<int>(place.size()), MPI_BYTE, leader_, MPI_ANY_TAG,
                   hierarchy_.comm(), &receipt));
  hierarchy_.wait(&receipt, &status);
  const Arrival arrival = arrival_of(status, place, Stream::kSpread);
  left_ = arrival.left;
  return arrival.data.size();
}

// If each waking is expensive, takes half of the remaining segments at a time. The number of steps
// is small, and the last piece, which nothing hides, is still one segment.
std::uint64_t IntraNodeBcastLeaf::take_all(const Segmentation& segmentation) {
  std::uint64_t taken_bytes = 0;
  for (std::uint64_t i = 0, end = 0; i < segmentation.segments(); i = end) {
    end = takes_larger_pieces() ? i + (segmentation.segments() - i + 1) / 2 : i + 1;
    end = std::min(end, segmentation.end_of_run(i));
    const Segment last = segmentation.segment_at(end - 1);
    taken_bytes +=
        take({segmentation.offset(i), last.offset + last.bytes - segmentation.offset(i)});
  }
  return taken_bytes;
}

bool IntraNodeBcastLeaf::has_more() const {
  return shared_memory_ != nullptr &&
         shared_memory_->has_more(hierarchy_.member(leader_), position_);
}

void IntraNodeBcastLeaf::finish() {
  if (shared_memory_ != nullptr)
    return shared_memory_->leave(hierarchy_.member(leader_), hierarchy_.waiting());
  if (left_.value_or(0) > 0) fail_on_different_counts();
}

}  // namespace nmt::collectives
