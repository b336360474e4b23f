// SPDX-License-Identifier: BSD-3-Clause
#include "engine/inbox.h"

#include <fmt/format.h>

#include "core/error.h"

namespace nmt::engine {
namespace {

// The oldest entry of a tag, or end(): a multimap keeps entries of one key in order.
template <class Queues>
auto find_first(Queues& queues, std::uint64_t tag) {
  const auto at = queues.lower_bound(tag);
  return at != queues.end() && at->first == tag ? at : queues.end();
}

}  // namespace

void Inbox::refuse(const std::string& what) const {
  throw Error(Fault::kPeer, fmt::format("{}: the peer {}", peer_, what));
}

void Inbox::post(std::shared_ptr<Receive> receive) {
  const Match& wants = receive->wants;
  const auto unexpected = find_unexpected(wants);
  if (unexpected != unexpected_.end()) {
    const auto at = arrivals_.find(unexpected->second);
    match(at->first, at->second, std::move(receive));
    unexpected_.erase(unexpected);
    if (at->second.is_over()) deliver(at);
  } else if (lost_) {
    if (wants.gate != kAnyGate) receive->end(Outcome::kLost, 0);
  } else if (wants.one_tag() && wants.gate != kAnyGate) {
    posted_.emplace(wants.tag, std::move(receive));
  } else {
    std::erase_if(posted_wild_, [](const auto& posted) { return posted->matched; });
    posted_wild_.push_back(std::move(receive));
  }
}

// The first message in the order of the sends, of those that the peer sent before all that are
// still under way.
Inbox::Unexpected::const_iterator Inbox::find_unexpected(const Match& wants) const {
  if (wants.one_tag()) return find_first(unexpected_, wants.tag);
  auto first = unexpected_.end();
  for (auto at = unexpected_.begin(); at != unexpected_.end(); ++at) {
    if (!wants.takes(at->first)) continue;
    if (first == unexpected_.end() || at->second < first->second) first = at;
  }
  return first;
}

std::optional<Envelope> Inbox::probe(const Match& wants) const {
  const auto at = find_unexpected(wants);
  if (at == unexpected_.end()) return std::nullopt;
  return Envelope{limits_.gate, at->first, arrivals_.at(at->second).size_bytes};
}

void Inbox::withdraw(const Receive& receive) {
  const auto [first, last] = posted_.equal_range(receive.wants.tag);
  const auto exact = std::find_if(
      first, last, [&](const auto& posted) { return posted.second.get() == &receive; });
  if (exact != last) {
    posted_.erase(exact);
  } else {
    std::erase_if(posted_wild_, [&](const auto& posted) { return posted.get() == &receive; });
  }
}

// The oldest receive that takes a message of this tag, or null.
std::shared_ptr<Receive> Inbox::find_posted(std::uint64_t tag) const {
  const auto exact = find_first(posted_, tag);
  const auto wild = std::ranges::find_if(posted_wild_, [&](const auto& posted) {
    return !posted->matched && posted->wants.takes(tag);
  });
  if (wild == posted_wild_.end()) return exact == posted_.end() ? nullptr : exact->second;
  if (exact == posted_.end() || (*wild)->number < exact->second->number) return *wild;
  return exact->second;
}

bool Inbox::Arrival::is_over() const {
  if (!matched || (is_request && !asked)) return false;
  return is_refused() ? coverage.bytes() >= ahead_bytes : whole;
}

bool Inbox::is_wanted(std::uint64_t sequence) const {
  const auto at = arrivals_.find(sequence);
  return at != arrivals_.end() && !at->second.is_refused();
}

// Creates the entry of a message at its first piece or request.
void Inbox::open(const Label& label) {
  const bool is_request = label.kind != Kind::kEager;
  const bool asked = label.kind == Kind::kRequest;
  if (label.sequence < next_sequence_) refuse("sent a message twice");
  if (!is_request && label.total_bytes > limits_.eager_bytes_max) {
    refuse(fmt::format("sent {} bytes without asking; at most {} are allowed", label.total_bytes,
                       limits_.eager_bytes_max));
  }
  const bool goes_ahead = !asked || label.offset_bytes > 0;
  const std::uint64_t room_bytes =
      room_of(label.kind, label.total_bytes, goes_ahead, limits_.eager_bytes_max);
  if (taken_bytes_ - released_bytes_ + room_bytes > limits_.room_bytes) {
    refuse("sent more than the receive buffer holds");
  }
  Arrival& arrival = arrivals_.try_emplace(label.sequence, memory_).first->second;
  taken_bytes_ += room_bytes;
  arrival.tag = label.tag;
  arrival.size_bytes = label.total_bytes;
  arrival.room_bytes = room_bytes;
  arrival.is_request = is_request;
  arrival.asked = asked;
  arrival.ahead_bytes = asked ? label.offset_bytes : 0;
}

void Inbox::match_in_order() {
  for (auto at = arrivals_.find(next_sequence_);
       at != arrivals_.end() && at->first == next_sequence_; ++next_sequence_) {
    const auto next = std::next(at);
    const std::shared_ptr<Receive> posted = find_posted(at->second.tag);
    if (posted) {
      match(at->first, at->second, posted);
      withdraw(*posted);
      if (at->second.is_over()) deliver(at);
    } else {
      unexpected_.emplace(at->second.tag, at->first);
    }
    at = next;
  }
}

// A receive that is too small for a request ends at once, and the request is refused. Pieces of the
// message that still arrive go into storage and are dropped. Steps that may throw come first.
void Inbox::match(std::uint64_t sequence, Arrival& arrival, std::shared_ptr<Receive> receive) {
  const bool fits = arrival.size_bytes <= receive->size_bytes;
  if (arrival.is_request) {
    answers_.push_back({.kind = fits ? Kind::kGrant : Kind::kRefusal,
                        .sequence = sequence,
                        .total_bytes = arrival.size_bytes});
  } else if (!fits && !arrival.storage && arrival.size_bytes > 0) {
    arrival.storage = new_storage(*memory_, arrival.size_bytes);
  }
  arrival.matched = true;
  arrival.receive = std::move(receive);
  arrival.receive->matched = true;
  arrival.receive->gate = limits_.gate;
  arrival.receive->tag = arrival.tag;
  if (arrival.is_request) {
    if (!fits) arrival.receive->end(Outcome::kTooSmall, arrival.size_bytes);
    if (arrival.size_bytes == 0) arrival.receive->end(Outcome::kDone, 0);  // no piece will follow
    if (arrival.is_refused()) return;  // pieces sent ahead still use memory
  }
  released_bytes_ += arrival.room_bytes;
}

void Inbox::announced(const Label& label, std::size_t link, std::vector<drivers::Bytes>& places) {
  auto at = arrivals_.find(label.sequence);
  if (label.kind != Kind::kData) {
    if (at == arrivals_.end()) open(label);
    if (label.sequence >= next_sequence_) match_in_order();
    at = arrivals_.find(label.sequence);
  }
  if (at == arrivals_.end() || !belongs(label, at->second)) {
    refuse("sent a piece of an unknown message");
  }
  Arrival& arrival = at->second;
  place(label, arrival, places);
  if (!arrival.coverage.announce(label.offset_bytes, label.body_bytes, link)) {
    refuse("announced a piece twice");
  }
  if (label.kind == Kind::kAhead) {
    arrival.ahead_end_bytes =
        std::max(arrival.ahead_end_bytes, label.offset_bytes + label.body_bytes);
  }
}

void Inbox::withdraw(const Label& label, std::size_t link) {
  const auto at = arrivals_.find(label.sequence);
  if (at != arrivals_.end()) {
    at->second.coverage.withdraw(label.offset_bytes, label.body_bytes, link);
  }
}

// Whether this piece can belong to this message.
bool Inbox::belongs(const Label& label, const Arrival& arrival) const {
  if (arrival.whole || arrival.size_bytes != label.total_bytes) return false;
  if (label.kind == Kind::kEager) return !arrival.is_request;
  if (!arrival.is_request) return false;
  if (label.kind == Kind::kData) return arrival.matched && !arrival.is_refused();
  const std::uint64_t ahead_bytes =
      arrival.asked ? arrival.ahead_bytes : arrival.stored_bytes_max();
  return label.offset_bytes + label.body_bytes <= ahead_bytes;
}

// If any piece is stored, so are all that may arrive before the grant.
void Inbox::place(const Label& label, Arrival& arrival, std::vector<drivers::Bytes>& places) {
  if (label.body_bytes == 0) return;
  const bool waited_for = arrival.matched && !arrival.storage && !arrival.is_refused();
  if (waited_for || label.kind == Kind::kData) {
    arrival.receive->places(label.offset_bytes, label.body_bytes, places);
    return;
  }
  if (!arrival.storage) {
    arrival.storage = new_storage(*memory_, arrival.stored_bytes_max());
  }
  places.push_back({arrival.storage.get() + label.offset_bytes, label.body_bytes});
}

// The request of a message whose first pieces arrived earlier.
void Inbox::ask(const Label& label, Arrivals::iterator at) {
  Arrival& arrival = at->second;
  const bool fits = label.offset_bytes > 0 && label.offset_bytes <= arrival.stored_bytes_max();
  if (!arrival.is_request || arrival.asked || arrival.size_bytes != label.total_bytes || !fits) {
    refuse("sent a message twice");
  }
  if (arrival.ahead_end_bytes > label.offset_bytes) refuse("sent more ahead than it announced");
  arrival.asked = true;
  arrival.ahead_bytes = label.offset_bytes;
  if (arrival.is_over()) deliver(at);
}

void Inbox::came(const Label& label, std::size_t link) {
  const auto at = arrivals_.find(label.sequence);
  if (label.kind == Kind::kRequest) {
    if (label.offset_bytes > limits_.eager_bytes_max) refuse("sent too much without a grant");
    if (at != arrivals_.end()) return ask(label, at);
    open(label);
    return match_in_order();
  }
  const auto come = [&](Coverage& coverage) {
    return coverage.come(label.offset_bytes, label.body_bytes, link);
  };
  if (at == arrivals_.end() || !come(at->second.coverage)) {
    refuse("sent a piece over a link that it had given up");
  }
  Arrival& arrival = at->second;
  arrival.whole = arrival.coverage.bytes() == arrival.size_bytes;
  if (arrival.is_over()) deliver(at);
}

// Gives a complete message to its receive, or ends a refused request; removes `at`.
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
    receive.fill(
        {arrival.storage.get(), arrival.is_request ? arrival.ahead_bytes : arrival.size_bytes});
  }
  receive.end(Outcome::kDone, arrival.size_bytes);
}

void Inbox::lose_link(std::size_t link) {
  for (auto& [sequence, arrival] : arrivals_) arrival.coverage.forget(link);
}

void Inbox::lose_peer() {
  lost_ = true;
  for (const auto& [tag, receive] : posted_) receive->end(Outcome::kLost, 0);
  posted_.clear();
  for (const std::shared_ptr<Receive>& receive : posted_wild_) {
    if (receive->wants.gate != kAnyGate) receive->end(Outcome::kLost, 0);
  }
  posted_wild_.clear();
  for (auto at = arrivals_.begin(); at != arrivals_.end();) {
    const Arrival& arrival = at->second;
    if (arrival.matched && !arrival.receive->ended) arrival.receive->end(Outcome::kLost, 0);
    const bool stays = arrival.whole && !arrival.is_request && at->first < next_sequence_;
    at = stays ? std::next(at) : arrivals_.erase(at);
  }
  std::erase_if(unexpected_, [&](const auto& one) { return !arrivals_.contains(one.second); });
}

}  // namespace nmt::engine
