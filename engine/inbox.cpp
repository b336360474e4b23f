// SPDX-License-Identifier: BSD-3-Clause
#include "engine/inbox.h"

#include <fmt/format.h>

#include <cstring>

#include "core/error.h"

namespace nmt::engine {
namespace {

// The oldest entry of a tag, taken out: a multimap keeps those of one key in their order.
template <class Queues, class Value>
bool take_first(Queues& queues, std::uint64_t tag, Value& value) {
  const auto at = queues.lower_bound(tag);
  if (at == queues.end() || at->first != tag) return false;
  value = std::move(at->second);
  queues.erase(at);
  return true;
}

}  // namespace

void Inbox::refuse(const std::string& what) const {
  throw Error(Fault::kPeer, fmt::format("{}: the other engine {}", peer_, what));
}

void Inbox::post(std::shared_ptr<Receive> receive) {
  std::uint64_t sequence = 0;
  const std::uint64_t tag = receive->tag;
  if (take_first(unexpected_, tag, sequence)) {
    const auto at = arrivals_.find(sequence);
    match(sequence, at->second, std::move(receive));
    if (at->second.is_over()) deliver(at);
  } else if (lost_) {
    receive->end(Outcome::kLost, 0);
  } else {
    posted_.emplace(tag, std::move(receive));
  }
}

bool Inbox::Arrival::is_over() const {
  if (!matched || (is_request && !asked)) return false;
  return is_refused() ? coverage.bytes() >= ahead_bytes : whole;
}

bool Inbox::is_wanted(std::uint64_t sequence) const {
  const auto at = arrivals_.find(sequence);
  return at != arrivals_.end() && !at->second.is_refused();
}

// The first that is heard of a message.
void Inbox::open(const Label& label) {
  const bool is_request = label.kind != Kind::kEager;
  const bool asked = label.kind == Kind::kRequest;
  if (label.sequence < next_sequence_) refuse("sent a message twice");
  if (!is_request && label.total_bytes > limits_.eager_bytes_max) {
    refuse(fmt::format("sent {} bytes without asking; at most {} are taken so", label.total_bytes,
                       limits_.eager_bytes_max));
  }
  const bool goes_ahead = !asked || label.offset_bytes > 0;
  const std::uint64_t room_bytes =
      room_of(label.kind, label.total_bytes, goes_ahead, limits_.eager_bytes_max);
  if (taken_bytes_ - released_bytes_ + room_bytes > limits_.room_bytes) {
    refuse("sent more than there is room for");
  }
  taken_bytes_ += room_bytes;
  Arrival& arrival = arrivals_[label.sequence];
  arrival.tag = label.tag;
  arrival.size_bytes = label.total_bytes;
  arrival.room_bytes = room_bytes;
  arrival.is_request = is_request;
  arrival.asked = asked;
  arrival.ahead_bytes = asked ? label.offset_bytes : 0;
  match_in_order();
}

void Inbox::match_in_order() {
  for (auto at = arrivals_.find(next_sequence_);
       at != arrivals_.end() && at->first == next_sequence_; ++next_sequence_) {
    const auto next = std::next(at);
    std::shared_ptr<Receive> receive;
    if (take_first(posted_, at->second.tag, receive)) {
      match(at->first, at->second, std::move(receive));
      if (at->second.is_over()) deliver(at);
    } else {
      unexpected_.emplace(at->second.tag, at->first);
    }
    at = next;
  }
}

// A receive that is too small ends at once for a request, which is refused; what comes of the
// message all the same goes into storage, to be dropped.
void Inbox::match(std::uint64_t sequence, Arrival& arrival, std::shared_ptr<Receive> receive) {
  const bool fits = arrival.size_bytes <= receive->size_bytes;
  arrival.matched = true;
  arrival.receive = std::move(receive);
  if (arrival.is_request) {
    answers_.push_back({.kind = fits ? Kind::kGrant : Kind::kRefusal,
                        .sequence = sequence,
                        .total_bytes = arrival.size_bytes});
    if (!fits) arrival.receive->end(Outcome::kTooSmall, arrival.size_bytes);
    if (arrival.size_bytes == 0) arrival.receive->end(Outcome::kDone, 0);  // nothing will follow
    if (arrival.is_refused()) return;  // what goes ahead still takes room
  } else if (!fits && !arrival.storage && arrival.size_bytes > 0) {
    arrival.storage = std::make_unique_for_overwrite<std::byte[]>(arrival.size_bytes);
  }
  released_bytes_ += arrival.room_bytes;
}

void Inbox::announced(const Label& label, std::vector<Bytes>& places) {
  auto at = arrivals_.find(label.sequence);
  if (label.kind != Kind::kData && at == arrivals_.end()) {
    open(label);
    at = arrivals_.find(label.sequence);
  }
  if (at == arrivals_.end() || !belongs(label, at->second)) {
    refuse("sent a piece of no known message");
  }
  place(label, at->second, places);
}

// Whether a piece can be one of this message.
bool Inbox::belongs(const Label& label, const Arrival& arrival) const {
  if (arrival.whole || arrival.size_bytes != label.total_bytes) return false;
  if (label.kind == Kind::kEager) return !arrival.is_request;
  if (!arrival.is_request) return false;
  if (label.kind == Kind::kData) return arrival.matched && !arrival.is_refused();
  const std::uint64_t ahead_bytes =
      arrival.asked ? arrival.ahead_bytes : arrival.stored_bytes_max();
  return label.offset_bytes + label.body_bytes <= ahead_bytes;
}

// Once something is stored, all that may come before a grant is.
void Inbox::place(const Label& label, Arrival& arrival, std::vector<Bytes>& places) {
  if (label.body_bytes == 0) return;
  const bool waited_for = arrival.matched && !arrival.storage && !arrival.is_refused();
  if (waited_for || label.kind == Kind::kData) {
    arrival.receive->places(label.offset_bytes, label.body_bytes, places);
    return;
  }
  if (!arrival.storage) {
    arrival.storage = std::make_unique_for_overwrite<std::byte[]>(arrival.stored_bytes_max());
  }
  places.push_back({arrival.storage.get() + label.offset_bytes, label.body_bytes});
}

// A request whose message was heard of before: its first pieces were faster.
void Inbox::ask(const Label& label, Arrivals::iterator at) {
  Arrival& arrival = at->second;
  const bool fits = label.offset_bytes > 0 && label.offset_bytes <= arrival.stored_bytes_max();
  if (!arrival.is_request || arrival.asked || arrival.size_bytes != label.total_bytes || !fits) {
    refuse("sent a message twice");
  }
  arrival.asked = true;
  arrival.ahead_bytes = label.offset_bytes;
  if (arrival.is_over()) deliver(at);
}

void Inbox::came(const Label& label) {
  const auto at = arrivals_.find(label.sequence);
  if (label.kind == Kind::kRequest) {
    if (label.offset_bytes > limits_.eager_bytes_max) refuse("sent too much without a grant");
    return at == arrivals_.end() ? open(label) : ask(label, at);
  }
  if (at == arrivals_.end()) refuse("sent a piece twice");
  Arrival& arrival = at->second;
  if (!arrival.coverage.add(label.offset_bytes, label.body_bytes)) refuse("sent a piece twice");
  arrival.whole = arrival.coverage.bytes() == arrival.size_bytes;
  if (arrival.is_over()) deliver(at);
}

// A whole message goes to its receive; `at` is gone afterwards. So is a refused request.
void Inbox::deliver(Arrivals::iterator at) {
  Arrival arrival = std::move(at->second);
  arrivals_.erase(at);
  if (arrival.is_refused()) released_bytes_ += arrival.room_bytes;
  Receive& receive = *arrival.receive;
  if (receive.ended) return;
  if (arrival.size_bytes > receive.size_bytes) {
    receive.end(Outcome::kTooSmall, arrival.size_bytes);
    return;
  }
  if (arrival.storage) {
    std::vector<Bytes> places;
    receive.places(0, arrival.is_request ? arrival.ahead_bytes : arrival.size_bytes, places);
    const std::byte* from = arrival.storage.get();
    for (const Bytes place : places) {
      std::memcpy(place.data(), from, place.size());
      from += place.size();
    }
  }
  receive.end(Outcome::kDone, arrival.size_bytes);
}

void Inbox::lose_peer() {
  lost_ = true;
  for (const auto& [tag, receive] : posted_) receive->end(Outcome::kLost, 0);
  posted_.clear();
  for (auto at = arrivals_.begin(); at != arrivals_.end();) {
    const Arrival& arrival = at->second;
    if (arrival.matched && !arrival.receive->ended) arrival.receive->end(Outcome::kLost, 0);
    const bool stays = arrival.whole && !arrival.is_request && at->first < next_sequence_;
    at = stays ? std::next(at) : arrivals_.erase(at);
  }
  std::erase_if(unexpected_, [&](const auto& one) { return !arrivals_.contains(one.second); });
}

}  // namespace nmt::engine
