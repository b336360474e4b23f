// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/group_reduce.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "collectives/mpi/spread.h"

namespace nmt::collectives {
namespace {

constexpr std::uint64_t kPieceBytes = 64 << 10;  // read and combined while it is in a cache

// A group of one.
class Alone : public GroupReduce {
 public:
  Alone(const std::byte* own, const Cut& cut) : own_(own), cut_(cut) {}
  std::span<const std::byte> combined(std::uint64_t segment) override {
    return {own_ + cut_.offset(segment), cut_.bytes_of(segment)};
  }
  void done(std::uint64_t) override {}
  void work() override {}
  void finish() override {}

 private:
  const std::byte* own_;
  Cut cut_;
};

// Through shared memory. Of each member's area the first half is for what it has, for those who
// cannot read its memory; of the first leader's, the second half is for what is combined.
class Shared : public GroupReduce {
 public:
  Shared(Team& team, Room& room, const std::byte* own, const Reduction& reduction, const Cut& cut,
         int leader)
      : team_(team),
        room_(room),
        own_(own),
        reduction_(reduction),
        cut_(cut),
        leader_(leader),
        direct_(room.all_can_read()),
        scratch_(std::min(cut.each(), kPieceBytes)) {
    for (int member = 0; member < room.members(); ++member) {
      if (member != leader) workers_.push_back(member);
    }
    room_.begin();
    room_.worked(0);  // its slots are free
    std::vector<int> readers = workers_;
    std::erase(readers, room.self());
    if (!direct_) readers.clear();
    room_.show(own, readers);
    if (direct_) room_.there(cut.bytes(), {}, team.waiting());
  }

  std::span<const std::byte> combined(std::uint64_t segment) override {
    if (segment == 0) put_until(kSlots);
    for (const int worker : workers_) room_.await_work(worker, segment + 1, team_.waiting());
    return {slot(segment), cut_.bytes_of(segment)};
  }

  void done(std::uint64_t segment) override {
    room_.worked(segment + 1);
    put_until(segment + 1 + kSlots);
  }

  void work() override {
    const auto place = std::ranges::find(workers_, room_.self()) - workers_.begin();
    const auto number = static_cast<std::uint64_t>(place);
    for (std::uint64_t i = 0; i < cut_.segments(); ++i) {
      put_until(i + 1);
      room_.await_work(leader_, i < kSlots ? 0 : i + 1 - kSlots, team_.waiting());
      const std::uint64_t elements = cut_.bytes_of(i) / reduction_.element_bytes;
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
      room_.worked(i + 1);
    }
    if (!direct_) return;
    for (int member = 0; member < room_.members(); ++member) {
      if (member != room_.self()) room_.leave(member, team_.waiting());
    }
  }

  void finish() override {
    room_.await_visits(team_.waiting());
    if (direct_) return;
    for (const int worker : workers_) {  // areas are free for the next operation
      room_.await_work(worker, cut_.segments(), team_.waiting());
    }
  }

 private:
  std::byte* slot(std::uint64_t segment) const {
    return room_.area(leader_).data() + (kSlots + segment % kSlots) * cut_.each();
  }

  // Bytes `at` of a segment, from all members into the slot.
  void combine_part(std::uint64_t segment, std::uint64_t at, std::uint64_t bytes) {
    std::byte* into = slot(segment) + at;
    bool first = true;
    for (int member = 0; member < room_.members(); ++member) {
      if (member == room_.self()) continue;
      const std::span<const std::byte> theirs =
          read(member, segment, at, {first ? into : scratch_.data(), bytes});
      if (!first) {
        combine(theirs, into, reduction_);
        continue;
      }
      if (theirs.data() != into) std::memcpy(into, theirs.data(), bytes);
      combine({own_ + cut_.offset(segment) + at, bytes}, into, reduction_);
      first = false;
    }
  }

  // A member's data: read to `to`, or where they are.
  std::span<const std::byte> read(int member, std::uint64_t segment, std::uint64_t at, Span to) {
    if (direct_) {
      const std::uint64_t position = cut_.offset(segment) + at;
      room_.fetch(member, position, position, to, team_.waiting());
      return to;
    }
    room_.await_put(member, segment + 1, team_.waiting());
    return {room_.area(member).data() + segment % kSlots * cut_.each() + at, to.size()};
  }

  // Those who cannot read it find this member's first `segments` in its area.
  void put_until(std::uint64_t segments) {
    if (direct_) return;
    for (; put_ < std::min(segments, cut_.segments()); ++put_) {
      if (put_ >= kSlots) {
        for (const int worker : workers_) {
          room_.await_work(worker, put_ + 1 - kSlots, team_.waiting());
        }
      }
      std::memcpy(room_.area(room_.self()).data() + put_ % kSlots * cut_.each(),
                  own_ + cut_.offset(put_), cut_.bytes_of(put_));
      room_.put(put_ + 1);
    }
  }

  void await_puts(std::uint64_t segment) {
    for (int member = 0; member < room_.members(); ++member) {
      if (member != room_.self()) room_.await_put(member, segment + 1, team_.waiting());
    }
  }

  Team& team_;
  Room& room_;
  const std::byte* own_;
  Reduction reduction_;
  Cut cut_;
  int leader_;  // a member
  bool direct_;
  std::vector<std::byte> scratch_;
  std::vector<int> workers_;
  std::uint64_t put_ = 0;
};

// By messages: everybody to the second leader, who combines, and from there to the first.
class ByMessages : public GroupReduce {
 public:
  ByMessages(Team& team, const std::byte* own, const Reduction& reduction, const Cut& cut,
             int leader)
      : own_(own), reduction_(reduction), cut_(cut), outflow_(team, Stream::kGather) {
    const std::vector<int>& ranks = team.own_group().ranks;
    second_ = ranks[0] == leader ? ranks[1] : ranks[0];
    next_ = team.rank() == second_ ? leader : second_;
    std::vector<int> senders;
    if (team.rank() == leader) senders = {second_};
    if (team.rank() == second_) {
      std::ranges::copy_if(ranks, std::back_inserter(senders),
                           [&](int rank) { return rank != leader && rank != second_; });
    }
    places_.resize(senders.size() + 1);
    for (std::size_t i = 0; i < senders.size(); ++i) {
      inflows_.emplace_back(team, places(places_[i]), senders[i], Stream::kGather);
    }
  }

  std::span<const std::byte> combined(std::uint64_t segment) override {
    const Span theirs = inflows_.front().next();
    combine({own_ + cut_.offset(segment), cut_.bytes_of(segment)}, theirs.data(), reduction_);
    return theirs;
  }
  void done(std::uint64_t) override {}

  void work() override {
    const std::vector<Span> sums = places(places_.back());
    for (std::uint64_t i = 0; i < cut_.segments(); ++i) {
      std::span<const std::byte> own{own_ + cut_.offset(i), cut_.bytes_of(i)};
      if (!inflows_.empty()) {
        outflow_.finish(kAsked);
        std::ranges::copy(own, sums[i].begin());
        for (Inflow& inflow : inflows_) combine(inflow.next(), sums[i].data(), reduction_);
        own = sums[i];
      }
      outflow_.send(own, next_, cut_.segments() - 1 - i);
    }
  }
  void finish() override { outflow_.finish(); }

 private:
  // One for each segment, in a ring.
  std::vector<Span> places(std::vector<std::byte>& memory) const {
    memory.resize((kAsked + 1) * cut_.each());
    std::vector<Span> all;
    for (std::uint64_t i = 0; i < cut_.segments(); ++i) {
      all.emplace_back(memory.data() + i % (kAsked + 1) * cut_.each(), cut_.bytes_of(i));
    }
    return all;
  }

  const std::byte* own_;
  Reduction reduction_;
  Cut cut_;
  int second_ = 0;
  int next_ = 0;
  std::vector<std::vector<std::byte>> places_;
  std::vector<Inflow> inflows_;
  Outflow outflow_;
};

}  // namespace

std::unique_ptr<GroupReduce> GroupReduce::make(Team& team, const std::byte* own,
                                               const Reduction& reduction, const Cut& cut,
                                               int leader) {
  if (team.own_group().ranks.size() == 1) return std::make_unique<Alone>(own, cut);
  team.agree(cut.bytes());
  if (Room* room = team.room_with_areas(2 * kSlots * cut.each())) {
    return std::make_unique<Shared>(team, *room, own, reduction, cut, team.member(leader));
  }
  return std::make_unique<ByMessages>(team, own, reduction, cut, leader);
}

void combine(std::span<const std::byte> from, std::byte* into, const Reduction& reduction) {
  check(PMPI_Reduce_local(from.data(), into,
                          static_cast<int>(from.size() / reduction.element_bytes), reduction.type,
                          reduction.op));
}

}  // namespace nmt::collectives
