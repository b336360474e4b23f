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
    if (at->second.whole || at->second.receive->ended) deliver(at);
  } else if (lost_) {
    receive->end(Outcome::kLost, 0);
  } else {
    posted_.emplace(tag, std::move(receive));
  }
}

// The first that is heard of a message.
void Inbox::open(const Label& label) {
  const bool is_request = label.kind == Kind::kRequest;
  if (label.sequence < next_sequence_) refuse("sent a message twice");
  const std::uint64_t eager_bytes = is_request ? 0 : label.total_bytes;
  if (eager_bytes > limits_.eager_bytes_max) {
    refuse(fmt::format("sent {} bytes without asking; at most {} are taken so", eager_bytes,
                       limits_.eager_bytes_max));
  }
  if (taken_bytes_ - released_bytes_ + kEnvelopeBytes + eager_bytes > limits_.room_bytes) {
    refuse("sent more than there is room for");
  }
  taken_bytes_ += kEnvelopeBytes + eager_bytes;
  Arrival& arrival = arrivals_[label.sequence];
  arrival.tag = label.tag;
  arrival.size_bytes = label.total_bytes;
  arrival.is_request = is_request;
  match_in_order();
}

void Inbox::match_in_order() {
  for (auto at = arrivals_.find(next_sequence_);
       at != arrivals_.end() && at->first == next_sequence_; ++next_sequence_) {
    const auto next = std::next(at);
    std::shared_ptr<Receive> receive;
    if (take_first(posted_, at->second.tag, receive)) {
      match(at->first, at->second, std::move(receive));
      if (at->second.whole || at->second.receive->ended) deliver(at);
    } else {
      unexpected_.emplace(at->second.tag, at->first);
    }
    at = next;
  }
}

// A receive that is too small ends at once for a request, which is refused, and takes an eager
// message into storage, to drop it.
void Inbox::match(std::uint64_t sequence, Arrival& arrival, std::shared_ptr<Receive> receive) {
  const bool fits = arrival.size_bytes <= receive->size_bytes;
  released_bytes_ += kEnvelopeBytes + (arrival.is_request ? 0 : arrival.size_bytes);
  arrival.matched = true;
  arrival.receive = std::move(receive);
  if (arrival.is_request) {
    answers_.push_back({.kind = fits ? Kind::kGrant : Kind::kRefusal,
                        .sequence = sequence,
                        .total_bytes = arrival.size_bytes});
    if (!fits) arrival.receive->end(Outcome::kTooSmall, arrival.size_bytes);
    if (arrival.size_bytes == 0) arrival.receive->end(Outcome::kDone, 0);  // nothing will follow
  } else if (!fits && !arrival.storage && arrival.size_bytes > 0) {
    arrival.storage = std::make_unique_for_overwrite<std::byte[]>(arrival.size_bytes);
  }
}

void Inbox::announced(const Label& label, std::vector<Bytes>& places) {
  auto at = arrivals_.find(label.sequence);
  if (label.kind == Kind::kEager && at == arrivals_.end()) {
    open(label);
    at = arrivals_.find(label.sequence);
  }
  const bool asked_for = label.kind == Kind::kData;
  if (at == arrivals_.end() || at->second.is_request != asked_for || at->second.whole ||
      at->second.size_bytes != label.total_bytes || (asked_for && !at->second.matched)) {
    refuse("sent a piece of no known message");
  }
  place(label, at->second, places);
}

void Inbox::place(const Label& label, Arrival& arrival, std::vector<Bytes>& places) {
  if (label.body_bytes == 0) return;
  if (arrival.matched && !arrival.storage) {
    arrival.receive->places(label.offset_bytes, label.body_bytes, places);
    return;
  }
  if (!arrival.storage) {
    arrival.storage = std::make_unique_for_overwrite<std::byte[]>(arrival.size_bytes);
  }
  places.push_back({arrival.storage.get() + label.offset_bytes, label.body_bytes});
}

void Inbox::came(const Label& label) {
  const auto at = arrivals_.find(label.sequence);
  if (label.kind == Kind::kRequest) {
    if (at != arrivals_.end()) refuse("sent a message twice");
    return open(label);
  }
  if (at == arrivals_.end()) refuse("sent a piece twice");
  Arrival& arrival = at->second;
  if (!arrival.coverage.add(label.offset_bytes, label.body_bytes)) refuse("sent a piece twice");
  arrival.whole = arrival.coverage.bytes() == arrival.size_bytes;
  if (arrival.whole && arrival.matched) deliver(at);
}

// A whole message goes to its receive; `at` is gone afterwards. So is a refused request.
void Inbox::deliver(Arrivals::iterator at) {
  Arrival arrival = std::move(at->second);
  arrivals_.erase(at);
  Receive& receive = *arrival.receive;
  if (receive.ended) return;
  if (arrival.size_bytes > receive.size_bytes) {
    receive.end(Outcome::kTooSmall, arrival.size_bytes);
    return;
  }
  if (arrival.storage) {
    std::vector<Bytes> places;
    receive.places(0, arrival.size_bytes, places);
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
    if (arrival.matched) arrival.receive->end(Outcome::kLost, 0);
    const bool stays = arrival.whole && at->first < next_sequence_;
    at = stays ? std::next(at) : arrivals_.erase(at);
  }
  std::erase_if(unexpected_, [&](const auto& one) { return !arrivals_.contains(one.second); });
}

}  // namespace nmt::engine
