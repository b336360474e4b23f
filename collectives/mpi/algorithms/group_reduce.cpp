// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms/group_reduce.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "collectives/mpi/algorithms/intra_node_bcast.h"

namespace nmt::collectives {
namespace {

constexpr std::uint64_t kPieceBytes = 64 << 10;  // read and combined while it is in a cache

// For a group of one rank.
class Alone : public GroupReduce {
 public:
  Alone(const std::byte* own, const Segmentation& segmentation)
      : own_(own), segmentation_(segmentation) {}
  std::span<const std::byte> combined(std::uint64_t segment) override {
    return {own_ + segmentation_.offset(segment), segmentation_.bytes_of(segment)};
  }
  void done(std::uint64_t) override {}
  void work() override {}
  void finish() override {}

 private:
  const std::byte* own_;
  Segmentation segmentation_;
};

// By shared memory. The first half of each member's area is for its own data, for members that
// cannot read its memory. The second half of the first leader's area is for combined data.
class Shared : public GroupReduce {
 public:
  Shared(NodeHierarchy& hierarchy, NodeSharedMemory& shared_memory, const std::byte* own,
         const Reduction& reduction, const Segmentation& segmentation, int leader)
      : hierarchy_(hierarchy),
        shared_memory_(shared_memory),
        own_(own),
        reduction_(reduction),
        segmentation_(segmentation),
        leader_(leader),
        direct_(shared_memory.all_can_read()),
        scratch_(std::min(segmentation.each(), kPieceBytes)) {
    for (int member = 0; member < shared_memory.members(); ++member) {
      if (member != leader) workers_.push_back(member);
    }
    shared_memory_.begin();
    shared_memory_.worked(0);  // its slots are free
    std::vector<int> readers = workers_;
    std::erase(readers, shared_memory.self());
    if (!direct_) readers.clear();
    shared_memory_.begin_stream(own, readers);
    if (direct_) shared_memory_.publish(segmentation.bytes(), {}, hierarchy.waiting());
  }

  std::span<const std::byte> combined(std::uint64_t segment) override {
    if (segment == 0) put_until(kSlots);
    for (const int worker : workers_)
      shared_memory_.wait_for_work(worker, segment + 1, hierarchy_.waiting());
    return {slot(segment), segmentation_.bytes_of(segment)};
  }

  void done(std::uint64_t segment) override {
    shared_memory_.worked(segment + 1);
    put_until(segment + 1 + kSlots);
  }

  void work() override {
    const auto place = std::ranges::find(workers_, shared_memory_.self()) - workers_.begin();
    const auto number = static_cast<std::uint64_t>(place);
    for (std::uint64_t i = 0; i < segmentation_.segments(); ++i) {
      put_until(i + 1);
      shared_memory_.wait_for_work(leader_, i < kSlots ? 0 : i + 1 - kSlots, hierarchy_.waiting());
      const std::uint64_t elements = segmentation_.bytes_of(i) / reduction_.element_bytes;
      const std::uint64_t begin = elements * number / workers_.size() * reduction_.element_bytes;
      const std::uint64_t end =
          elements * (number + 1) / workers_.size() * reduction_.element_bytes;
      const std::uint64_t most =
          std::max(reduction_.element_bytes,
                   kPieceBytes / reduction_.element_bytes * reduction_.element_bytes);
      for (std::uint64_t at = begin; at < end; at += most) {
        combine_part(i, at, std::min(most, end - at));
      }
      if (!direct_) await_puts(i);  // a part may be empty
      shared_memory_.worked(i + 1);
    }
    if (!direct_) return;
    for (int member = 0; member < shared_memory_.members(); ++member) {
      if (member != shared_memory_.self()) shared_memory_.leave(member, hierarchy_.waiting());
    }
  }

  void finish() override {
    shared_memory_.wait_for_readers(hierarchy_.waiting());
    if (direct_) return;
    for (const int worker : workers_) {  // areas are free for the next operation
      shared_memory_.wait_for_work(worker, segmentation_.segments(), hierarchy_.waiting());
    }
  }

 private:
  std::byte* slot(std::uint64_t segment) const {
    return shared_memory_.area(leader_).data() + (kSlots + segment % kSlots) * segmentation_.each();
  }

  // Combines the bytes from `at` on of a segment, from all members, into the slot.
  void combine_part(std::uint64_t segment, std::uint64_t at, std::uint64_t bytes) {
    std::byte* into = slot(segment) + at;
    bool first = true;
    for (int member = 0; member < shared_memory_.members(); ++member) {
      if (member == shared_memory_.self()) continue;
      const std::span<const std::byte> theirs =
          read(member, segment, at, {first ? into : scratch_.data(), bytes});
      if (!first) {
        combine(theirs, into, reduction_);
        continue;
      }
      if (theirs.data() != into) std::memcpy(into, theirs.data(), bytes);
      combine({own_ + segmentation_.offset(segment) + at, bytes}, into, reduction_);
      first = false;
    }
  }

  // A member's data: read into `to`, or in place.
  std::span<const std::byte> read(int member, std::uint64_t segment, std::uint64_t at, Span to) {
    if (direct_) {
      const std::uint64_t position = segmentation_.offset(segment) + at;
      shared_memory_.fetch(member, position, position, to, hierarchy_.waiting());
      return to;
    }
    shared_memory_.wait_for_put(member, segment + 1, hierarchy_.waiting());
    return {shared_memory_.area(member).data() + segment % kSlots * segmentation_.each() + at,
            to.size()};
  }

  // Copies this member's first `segments` into its area, for members that cannot read its memory.
  void put_until(std::uint64_t segments) {
    if (direct_) return;
    for (; put_ < std::min(segments, segmentation_.segments()); ++put_) {
      if (put_ >= kSlots) {
        for (const int worker : workers_) {
          shared_memory_.wait_for_work(worker, put_ + 1 - kSlots, hierarchy_.waiting());
        }
      }
      std::memcpy(
          shared_memory_.area(shared_memory_.self()).data() + put_ % kSlots * segmentation_.each(),
          own_ + segmentation_.offset(put_), segmentation_.bytes_of(put_));
      shared_memory_.put(put_ + 1);
    }
  }

  void await_puts(std::uint64_t segment) {
    for (int member = 0; member < shared_memory_.members(); ++member) {
      if (member != shared_memory_.self())
        shared_memory_.wait_for_put(member, segment + 1, hierarchy_.waiting());
    }
  }

  NodeHierarchy& hierarchy_;
  NodeSharedMemory& shared_memory_;
  const std::byte* own_;
  Reduction reduction_;
  Segmentation segmentation_;
  int leader_;  // a member index
  bool direct_;
  std::vector<std::byte> scratch_;
  std::vector<int> workers_;
  std::uint64_t put_ = 0;
};

// By short messages through shared memory.
class Short : public GroupReduce {
 public:
  Short(const NodeHierarchy& hierarchy, NodeSharedMemory& shared_memory,
        std::span<const std::byte> own, const Reduction& reduction, int leader)
      : hierarchy_(hierarchy),
        shared_memory_(shared_memory),
        own_(own),
        reduction_(reduction),
        leader_(leader) {}

  std::span<const std::byte> combined(std::uint64_t) override {
    shared_memory_.wait_until_given(hierarchy_.waiting());
    for (int member = 0; member < shared_memory_.members(); ++member) {
      const std::span<const std::byte> theirs =
          member == leader_ ? own_ : shared_memory_.given_by(member);
      if (theirs.size() != own_.size()) fail_on_different_counts();
      if (member == 0) {
        sums_.assign(theirs.begin(), theirs.end());
      } else {
        combine(theirs, sums_.data(), reduction_);
      }
    }
    return sums_;
  }
  void done(std::uint64_t) override { shared_memory_.collected(); }
  void work() override { shared_memory_.give(own_, leader_, hierarchy_.waiting()); }
  void finish() override {}

 private:
  const NodeHierarchy& hierarchy_;
  NodeSharedMemory& shared_memory_;
  std::span<const std::byte> own_;
  Reduction reduction_;
  int leader_;  // a member index
  std::vector<std::byte> sums_;
};

// By messages: all ranks send to the second leader, which combines and sends to the first.
class ByMessages : public GroupReduce {
 public:
  ByMessages(NodeHierarchy& hierarchy, const std::byte* own, const Reduction& reduction,
             const Segmentation& segmentation, int leader)
      : own_(own),
        reduction_(reduction),
        segmentation_(segmentation),
        sender_(hierarchy, Stream::kGather) {
    const std::vector<int>& ranks = hierarchy.own_group().ranks;
    second_ = ranks[0] == leader ? ranks[1] : ranks[0];
    next_ = hierarchy.rank() == second_ ? leader : second_;
    std::vector<int> senders;
    if (hierarchy.rank() == leader) senders = {second_};
    if (hierarchy.rank() == second_) {
      std::ranges::copy_if(ranks, std::back_inserter(senders),
                           [&](int rank) { return rank != leader && rank != second_; });
    }
    places_.resize(senders.size() + 1);
    for (std::size_t i = 0; i < senders.size(); ++i) {
      receivers_.emplace_back(hierarchy, places(places_[i]), senders[i], Stream::kGather);
    }
  }

  std::span<const std::byte> combined(std::uint64_t segment) override {
    const Span theirs = receivers_.front().next();
    combine({own_ + segmentation_.offset(segment), segmentation_.bytes_of(segment)}, theirs.data(),
            reduction_);
    return theirs;
  }
  void done(std::uint64_t) override {}

  void work() override {
    const std::vector<Span> sums = places(places_.back());
    for (std::uint64_t i = 0; i < segmentation_.segments(); ++i) {
      std::span<const std::byte> own{own_ + segmentation_.offset(i), segmentation_.bytes_of(i)};
      if (!receivers_.empty()) {
        sender_.finish(kReceivesAhead);
        std::ranges::copy(own, sums[i].begin());
        for (ReceivePipeline& receiver : receivers_)
          combine(receiver.next(), sums[i].data(), reduction_);
        own = sums[i];
      }
      sender_.send(own, next_, segmentation_.segments() - 1 - i);
    }
  }
  void finish() override { sender_.finish(); }

 private:
  // One buffer per segment, in a ring.
  std::vector<Span> places(std::vector<std::byte>& memory) const {
    memory.resize((kReceivesAhead + 1) * segmentation_.each());
    std::vector<Span> all;
    for (std::uint64_t i = 0; i < segmentation_.segments(); ++i) {
      all.emplace_back(memory.data() + i % (kReceivesAhead + 1) * segmentation_.each(),
                       segmentation_.bytes_of(i));
    }
    return all;
  }

  const std::byte* own_;
  Reduction reduction_;
  Segmentation segmentation_;
  int second_ = 0;
  int next_ = 0;
  std::vector<std::vector<std::byte>> places_;
  std::vector<ReceivePipeline> receivers_;
  SendPipeline sender_;
};

}  // namespace

std::unique_ptr<GroupReduce> GroupReduce::make(NodeHierarchy& hierarchy, const std::byte* own,
                                               const Reduction& reduction,
                                               const Segmentation& segmentation, int leader,
                                               std::uint64_t more) {
  if (hierarchy.own_group().ranks.size() == 1) return std::make_unique<Alone>(own, segmentation);
  hierarchy.check_same_size(segmentation.bytes() ^ more);
  if (NodeSharedMemory* shared_memory =
          hierarchy.shared_memory_with_areas(2 * kSlots * segmentation.each())) {
    return std::make_unique<Shared>(hierarchy, *shared_memory, own, reduction, segmentation,
                                    hierarchy.member(leader));
  }
  return std::make_unique<ByMessages>(hierarchy, own, reduction, segmentation, leader);
}

std::unique_ptr<GroupReduce> GroupReduce::make_short(NodeHierarchy& hierarchy, const std::byte* own,
                                                     const Reduction& reduction, int leader) {
  const Segmentation whole(reduction.count * reduction.element_bytes, 0);
  if (hierarchy.own_group().ranks.size() == 1) return std::make_unique<Alone>(own, whole);
  if (NodeSharedMemory* shared_memory = hierarchy.shared_memory()) {
    return std::make_unique<Short>(hierarchy, *shared_memory, std::span(own, whole.bytes()),
                                   reduction, hierarchy.member(leader));
  }
  return std::make_unique<ByMessages>(hierarchy, own, reduction, whole, leader);
}

void combine(std::span<const std::byte> from, std::byte* into, const Reduction& reduction) {
  check(PMPI_Reduce_local(from.data(), into,
                          static_cast<int>(from.size() / reduction.element_bytes), reduction.type,
                          reduction.op));
}

}  // namespace nmt::collectives
