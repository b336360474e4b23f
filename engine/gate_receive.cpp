// SPDX-License-Identifier: BSD-3-Clause
//
// Receives over the links of a gate, and handles confirmations.
#include <algorithm>
#include <cmath>
#include <exception>
#include <new>

#include "core/error.h"
#include "engine/gate.h"

namespace nmt::engine {
namespace {

// Messages taken from one link before the next link is polled.
constexpr int kTurnsMax = 16;

constexpr double kHandshakeWeight = 1.0 / 8;  // weight of the newest value

}  // namespace

// An Error of the driver loses the link; a violation of the protocol loses the peer.
bool Gate::poll(Link& link) {
  bool happened = false;
  for (int turn = 0; turn < kTurnsMax && link.alive() && advance(link); ++turn) happened = true;
  return happened;
}

bool Gate::advance(Link& link) {
  drivers::Endpoint::Progress progress;
  try {
    progress = link.poll(context_.clock);
  } catch (const std::exception& error) {  // also bad_alloc: the state of the driver is unknown
    lose(link, error.what());
    return true;
  }
  try {
    link.sent(progress.sent, [this](Posted& posted) { gone(posted); });
    if (progress.received) finish(link);
    if (link.announced) begin(link);
    link.drop_confirmed([&](Posted& posted) { confirmed(link, posted); });
  } catch (const Error& error) {
    lose_peer(error.what());
  }
  return progress.sent > 0 || progress.announced || progress.received;
}

// If memory runs out, the announced message waits: the next round repeats all of this.
void Gate::begin(Link& link) {
  try {
    find_places(link);
  } catch (const std::bad_alloc&) {
    if (!link.told_short) {
      link.told_short = context_.report(
          {peer_, ": out of memory; packets from ", link.name(), " wait until memory is free"});
    }
    return;
  }
  try {
    link.accept(places_);
  } catch (const std::exception& error) {
    lose(link, error.what());
  }
}

void Gate::find_places(Link& link) {
  parse(link.headers(link.announced->header_bytes), link.announced->body_bytes, link.name(),
        link.parsed());
  const Head& head = link.parsed().head;
  if (!link.confirm(head.received)) {
    throw Error(Fault::kPeer, peer_ + ": the peer confirmed packets that were not sent");
  }
  link.peer_clock.hear(static_cast<double>(head.left_ns), now_ns());
  link.peer_came_ns = static_cast<double>(head.came_ns);
  if (head.released_bytes > taken_bytes_) {
    throw Error(Fault::kPeer, peer_ + ": the peer released memory that was not in use");
  }
  if (head.released_bytes > released_bytes_) {
    released_bytes_ = head.released_bytes;
    reported_credit_blocked_ = false;
  }
  if ((head.flags & Head::kCreditBlocked) != 0) peer_credit_blocked_ = true;
  places_.clear();
  const std::span<const Label> labels = link.parsed().labels;
  std::size_t announced = 0;
  try {
    for (const Label& label : labels) {
      if (carries_bytes(label.kind)) inbox_.announced(label, number_of(link), places_);
      ++announced;
      const bool asked_for = label.kind == Kind::kData || label.kind == Kind::kAhead;
      if (asked_for && inbox_.is_wanted(label.sequence)) chunk_ends_.announced(label, now_ns());
    }
  } catch (const std::bad_alloc&) {  // only this message: others of the link are under way
    for (const Label& label : labels.first(announced)) {
      if (carries_bytes(label.kind)) inbox_.withdraw(label, number_of(link));
    }
    throw;
  }
}

void Gate::finish(Link& link) {
  const Parsed& message = link.received();
  link.came_ns = context_.clock.now_ns();
  const std::uint16_t flags = message.head.flags;
  if ((flags & (Head::kAnswer | Head::kAnswerLater)) != 0) link.owe((flags & Head::kAnswer) != 0);
  for (const Label& label : message.labels) take(label, link);
}

void Gate::take(const Label& label, const Link& link) {
  switch (label.kind) {
    case Kind::kData:
    case Kind::kAhead:
      inbox_.came(label, number_of(link));
      return chunk_ends_.came(label, number_of(link), now_ns());
    case Kind::kEager:
    case Kind::kRequest:
      return inbox_.came(label, number_of(link));
    case Kind::kGrant:
    case Kind::kRefusal:
      return grant(label);
    case Kind::kLinkDown:
      return learn_loss(label);
    case Kind::kState:
      return;
  }
}

void Gate::grant(const Label& label) {
  const auto at = requests_.find(label.sequence);
  if (at == requests_.end()) {
    throw Error(Fault::kPeer, peer_ + ": the peer granted a message that did not ask");
  }
  const std::shared_ptr<Send> send = std::move(at->second);
  requests_.erase(at);
  learn_handshake(now_ns() - send->admitted_ns);
  if (label.kind == Kind::kGrant && send->size_bytes > 0) {
    add_pieces(send, Kind::kData, send->ahead_bytes, send->size_bytes, window_.large);
    return;
  }
  settle(*send, std::max<std::uint64_t>(1, send->size_bytes) - send->ahead_bytes);
}

// A late receive makes this time longer; the limits keep its influence small.
void Gate::learn_handshake(double duration_ns) {
  if (handshake_ns_ == 0) handshake_ns_ = duration_ns;
  const double limited_ns = std::clamp(duration_ns, handshake_ns_ / 2, 2 * handshake_ns_);
  handshake_ns_ += kHandshakeWeight * (limited_ns - handshake_ns_);
}

void Gate::settle(Unit& unit) {
  if (!unit.send || unit.settled) return;
  unit.settled = true;
  settle(*unit.send, std::max<std::uint64_t>(unit.send->size_bytes == 0, unit.label.body_bytes));
}

void Gate::settle(Send& send, std::uint64_t size_bytes) {
  send.unsettled_bytes -= size_bytes;
  if (send.unsettled_bytes != 0 || send.ended) return;
  send.end(Outcome::kDone, send.size_bytes);
  if (context_.transfers == nullptr) return;
  context_.transfers->add(peer_, send.size_bytes, send.trace, now_ns() - send.admitted_ns);
}

void Gate::gone(Posted& posted) {
  if (posted.settle != Settle::kWhenSent) return;
  for (Unit& unit : posted.units) settle(unit);
}

void Gate::confirmed(Link& link, Posted& posted) {
  for (Unit& unit : posted.units) settle(unit);
  const bool is_dated = link.alive() && link.is_last_confirmed(posted);
  if (!posted.transfer) return;
  if (posted.occupies()) {
    nmt_rails_completed(context_.tracker, context_.clock.now_ns(), &*posted.transfer);
  }
  if (!is_dated) {
    if (posted.large) link.large_came_ns.reset();
  } else if (posted.large) {
    learn_pace(link, posted);
  } else {
    learn_small(link, posted);
  }
}

// The peer's time stamp comes back as an empty message would, over the same link. Aggregates and
// control packets teach nothing of single messages.
void Gate::learn_small(Link& link, const Posted& posted) {
  const double curves_ns = posted.curve_ns + link.empty_ns;
  if (!posted.teaches || curves_ns <= 0) return;
  link.peer_clock.time(posted.left_ns, link.peer_came_ns, link.empty_ns / curves_ns);
  const double there_and_back_ns = link.peer_clock.heard_ns(link.peer_came_ns) - posted.left_ns;
  const bool is_message = posted.units.size() == 1 && posted.units[0].label.kind == Kind::kEager;
  if (is_message) {
    link.paces.observe(SentAs::kSmall, posted.size_bytes(), curves_ns, there_and_back_ns);
  }
}

// The confirmation says when the message arrived. It began when the message before it had arrived,
// which is known if that one was confirmed alone, else when the prediction says.
void Gate::learn_pace(Link& link, const Posted& posted) {
  const double transit_ns = link.peer_clock.transit_ns().value_or(link.empty_ns);
  const double came_ns = link.peer_clock.heard_ns(link.peer_came_ns) - transit_ns;
  const double begun_ns = posted.follows && link.large_came_ns
                              ? std::max(posted.planned_ns, *link.large_came_ns)
                              : posted.end_ns - posted.duration_ns;
  const double actual_ns = came_ns - begun_ns;
  link.large_came_ns = came_ns;
  ++state_.foreseen_releases;
  state_.foreseen_duration_ns += actual_ns;
  state_.foreseen_error_ns += std::abs(actual_ns - posted.duration_ns);
  link.paces.observe(posted.sent_as, posted.size_bytes(), posted.curve_ns, actual_ns);
}

}  // namespace nmt::engine
