// SPDX-License-Identifier: BSD-3-Clause
//
// The loss of one link, and of the last one.
#include <algorithm>

#include "core/error.h"
#include "engine/gate.h"

namespace nmt::engine {

// Everything that had arrived over the link has been taken. The other end gets that count and sends
// the rest again. It sends its own count for our messages (learn_loss).
void Gate::lose(Link& link, const std::string& reason) {
  if (!link.alive()) return;
  link.give_up(reason);
  whole_ = {};                       // chunks are by lane
  reported_credit_blocked_ = false;  // the report may be lost with it
  inbox_.lose_link(number_of(link));
  if (alive() == 0) {
    lose_peer(reason);
    return;
  }
  context_.report({peer_, ": lost a rail; its packets are sent again over the others: ", reason});
  window_.control.push_back({.label = {.kind = Kind::kLinkDown,
                                       .sequence = number_of(link),
                                       .total_bytes = link.received_count}});
}

void Gate::learn_loss(const Label& label) {
  if (label.sequence >= links_.size()) {
    throw Error(Fault::kPeer, peer_ + ": the peer gave up a link that does not exist");
  }
  Link& link = *links_[label.sequence];
  lose(link, link.name() + ": the peer gave up this link");
  if (lost_) return;
  if (!link.confirm(static_cast<std::uint32_t>(label.total_bytes))) {
    throw Error(Fault::kPeer, peer_ + ": the peer confirmed packets that were not sent");
  }
  link.drop_confirmed([&](Posted& posted) { confirmed(link, posted); });
  std::vector<Posted> lost = link.take_lost();
  for (const Posted& posted : lost) link.count_again(posted.units.size());
  send_again(std::move(lost));
}

// Puts the units in front of the waiting ones, in the same order as before.
void Gate::send_again(std::vector<Posted> lost) {
  for (auto posted = lost.rbegin(); posted != lost.rend(); ++posted) {
    for (auto unit = posted->units.rbegin(); unit != posted->units.rend(); ++unit) {
      const Kind kind = unit->label.kind;
      Units& queue = kind == Kind::kData || kind == Kind::kAhead      ? window_.large
                     : kind == Kind::kEager || kind == Kind::kRequest ? window_.small
                                                                      : window_.control;
      queue.push_front(std::move(*unit));
    }
  }
}

// Allocates memory only for the report, at the very end: operations end even if there is none.
void Gate::lose_peer(const std::string& reason) {
  if (lost_) return;
  lost_ = untold_loss_ = true;
  for (const std::unique_ptr<Link>& link : links_) {
    if (link->alive()) link->give_up(reason);
  }
  end_all_sends();
  inbox_.lose_peer();
  context_.report({peer_, ": lost: ", reason});
}

// All of them: waiting, requested, in the window, or given to a link.
void Gate::end_all_sends() {
  const auto end = [](const std::shared_ptr<Send>& send) {
    if (send && !send->ended) send->end(Outcome::kLost, 0);
  };
  const auto end_units = [&](auto& units) {
    for (const Unit& unit : units) end(unit.send);
    units.clear();
  };
  for (const std::unique_ptr<Link>& link : links_) {
    link->drop_all([&](Posted& posted) { end_units(posted.units); });
  }
  for (const std::shared_ptr<Send>& send : waiting_) end(send);
  waiting_.clear();
  for (const auto& [sequence, send] : requests_) end(send);
  requests_.clear();
  end_units(window_.small);
  end_units(window_.large);
  window_.control.clear();
}

}  // namespace nmt::engine
