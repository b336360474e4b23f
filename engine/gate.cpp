// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gate.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/error.h"

namespace nmt::engine {
namespace {

// Unconfirmed large messages on a link before it counts as busy, even if the driver has taken them
// all: one in transit and one behind it, so that the rail is not idle until a confirmation arrives.
constexpr std::size_t kLargeUnconfirmedMax = 2;

// A gather list of up to this size is copied too, so that its send can end at once: on any rail,
// copying so little takes less time than the message by which the peer would confirm it.
constexpr std::uint64_t kKeptBytesMax = 16384;

}  // namespace

Gate::Gate(Context& context, std::size_t number, std::string peer,
           std::vector<std::unique_ptr<Link>> links)
    : context_(context),
      peer_(std::move(peer)),
      links_(std::move(links)),
      window_(context.memory),
      inbox_(peer_,
             {.room_bytes = context.options.unexpected_bytes_max,
              .eager_bytes_max = context.options.eager_bytes_max,
              .gate = number},
             context.memory),
      waiting_(context.memory),
      requests_(context.memory) {
  for (const std::unique_ptr<Link>& link : links_) {
    link->wanted = context.only.empty() || link->name() == context.only;
    link->empty_ns = advice().duration_ns(link->path(), 0).value_or(0);
  }
}

std::size_t Gate::alive() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(links_, [](const auto& link) { return link->alive(); }));
}

std::size_t Gate::number_of(const Link& link) const {
  const auto at = std::ranges::find_if(links_, [&](const auto& one) { return one.get() == &link; });
  return static_cast<std::size_t>(at - links_.begin());
}

GateState Gate::state() const {
  GateState state = state_;
  chunk_ends_.add_to(state);
  return state;
}

void Gate::isend(std::shared_ptr<Send> send) {
  if (lost_) {
    send->end(Outcome::kLost, 0);
    return;
  }
  waiting_.push_back(send);
  has_new_ = true;
  send->sequence = next_sequence_++;  // not before: the peer waits for each number
  send->unsettled_bytes = std::max<std::uint64_t>(1, send->size_bytes);
}

// The peer waits for every number, so those behind it move up.
bool Gate::withdraw(const Send& send) {
  const auto at =
      std::ranges::find_if(waiting_, [&](const auto& waiting) { return waiting.get() == &send; });
  if (at == waiting_.end()) return false;
  for (auto later = waiting_.erase(at); later != waiting_.end(); ++later) --(*later)->sequence;
  --next_sequence_;
  credit_blocked_ = credit_blocked_ && !waiting_.empty();
  return true;
}

bool Gate::progress() {
  if (lost_) return false;
  try {
    return turn();
  } catch (const std::bad_alloc&) {
    lose_peer("out of memory");
    return true;
  }
}

// What is new goes before the rails are polled, where no rail has sends that a poll may end: a poll
// is a system call on some rails.
bool Gate::turn() {
  const auto is_known = [](const auto& link) {
    return !link->alive() || (link->idle() && !link->announced);
  };
  if (std::exchange(has_new_, false) && window_.empty() && std::ranges::all_of(links_, is_known)) {
    send_waiting();
    if (lost_) return true;
  }
  bool happened = false;
  for (const std::unique_ptr<Link>& link : links_) {
    if (link->alive() && (alive() == 1 || link->due())) happened |= poll(*link);
  }
  if (lost_) return true;
  const auto is_short = [](const auto& link) { return link->announced.has_value(); };
  if (std::ranges::any_of(links_, is_short)) return happened;  // there is no memory to send either
  for (const Label& label : inbox_.take_answers()) {
    if (label.kind == Kind::kRefusal) chunk_ends_.refused(label.sequence);
    window_.control.push_back({.label = label});
  }
  if (!waiting_.empty() || !window_.empty()) send_waiting();
  if (!lost_) send_states(!happened);
  return happened;
}

bool Gate::watch(std::vector<pollfd>& watched) {
  return std::ranges::all_of(links_, [&](const auto& link) {
    return !link->alive() || (!link->hurry() && link->watch(watched));
  });
}

void Gate::make_lanes() {
  lanes_.clear();
  const auto add = [&](bool all) {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const Link& link = *links_[i];
      if (!link.alive() || !(all || link.wanted)) continue;
      Lane& lane = lanes_.emplace_back(Lane{.link = i, .path = link.path(), .paces = &link.paces});
      refresh(lane);
    }
  };
  add(false);
  if (lanes_.empty()) add(true);  // the only requested rail is down
}

void Gate::refresh(Lane& lane) {
  first_.reset();
  const Link& link = *links_[lane.link];
  const double release_ns =
      nmt_rails_release_ns(context_.tracker, link.rail(), static_cast<std::uint64_t>(round_ns_));
  // An overdue transfer is expected to take about as long again as it is already late.
  lane.release_ns = std::max(release_ns, link.overdue_ns(round_ns_));
  lane.takes_small = link.idle();
  lane.probing = link.probing();
  // A small packet waits until the rail is idle, so none may be kept waiting for ever.
  const bool takes_more = window_.small.empty() ? link.takes_large() : link.idle();
  lane.takes_large =
      takes_more && (alive() == 1 || link.large_unconfirmed() < kLargeUnconfirmedMax);
}

// Whoever admits a message, splits it and sends it asks the same.
std::size_t Gate::first_to_end(std::uint64_t size_bytes) {
  if (!first_ || first_->size_bytes != size_bytes) {
    first_ = First{size_bytes, engine::first_to_end(advice(), lanes_, size_bytes)};
  }
  return first_->lane;
}

void Gate::send_waiting() {
  round_ns_ = now_ns();
  make_lanes();
  admit();
  schedule();
}

void Gate::schedule() {
  send_control();
  if (!lost_ && !lanes_.empty()) context_.strategy.schedule(*this);
}

// Sends each packet over the lane that delivers it first, even behind other messages.
void Gate::send_control() {
  while (!window_.control.empty() && !lost_) {
    Lane* best = nullptr;
    for (Lane& lane : lanes_) {
      if (!links_[lane.link]->can_post()) continue;
      if (best == nullptr || end_ns(advice(), lane, 0) < end_ns(advice(), *best, 0)) best = &lane;
    }
    if (best == nullptr) return;
    Posted posted = new_posted();
    const std::size_t count = std::min(window_.control.size(), drivers::kPacketsMax);
    for (std::size_t i = 0; i < count; ++i) {
      posted.units.push_back(std::move(window_.control.front()));
      window_.control.pop_front();
    }
    Link& link = *links_[best->link];
    post(link, advice().eager_method(link.path(), 0, link.methods()), std::move(posted));
    refresh(*best);
  }
}

void Gate::send_small(std::size_t lane, std::size_t count) {
  if (lost_) return;
  NMT_CHECK(count > 0 && count <= std::min(window_.small.size(), drivers::kPacketsMax));
  Link& link = *links_[lanes_[lane].link];
  const std::uint64_t first_bytes = window_.small.front().label.body_bytes;
  Posted posted = new_posted();
  std::uint64_t size_bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    size_bytes += window_.small.front().label.body_bytes;
    posted.units.push_back(std::move(window_.small.front()));
    window_.small.pop_front();
  }
  if (context_.helpers != nullptr) context_.helpers->count_message();
  const Method method = advice().eager_method(link.path(), size_bytes, link.methods());
  if (alive() > 1) {
    const bool is_kept = method == Method::kCopy || size_bytes <= kKeptBytesMax;
    posted.settle = is_kept ? Settle::kAtOnce : Settle::kWhenConfirmed;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (i != lane) pass_over(i, SentAs::kSmall, first_bytes);
    }
    link.paces.take(SentAs::kSmall, first_bytes);
    posted.probes = count == 1 && !link.paces.is_sure(SentAs::kSmall, size_bytes);
  }
  post(link, method, std::move(posted));
  refresh(lanes_[lane]);
}

bool Gate::send_large(std::size_t lane, std::size_t unit, std::uint64_t size_bytes,
                      std::optional<double> curve_ns) {
  if (lost_) return true;
  Unit& whole = window_.large[unit];
  const std::uint32_t left_bytes = whole.label.body_bytes;
  NMT_CHECK(size_bytes <= left_bytes);
  if (size_bytes == 0) return false;
  Link& link = *links_[lanes_[lane].link];
  Unit part = whole;
  part.label.body_bytes = static_cast<std::uint32_t>(size_bytes);
  const bool all = size_bytes == left_bytes;
  const bool is_whole = all && !part.cut;
  whole.label.offset_bytes += size_bytes;
  whole.label.body_bytes -= part.label.body_bytes;
  whole.asks = false;
  whole.cut = true;
  if (all) window_.large.erase(window_.large.begin() + static_cast<std::ptrdiff_t>(unit));
  Posted posted = new_posted();
  posted.large = true;  // settles when sent, if no other rail could send it again
  posted.sent_as = is_whole ? SentAs::kWhole : SentAs::kChunk;
  posted.curve_ns = curve_ns.value_or(0);
  link.paces.take(posted.sent_as, size_bytes);
  ++state_.chunks_sent;
  const bool is_eager = part.label.kind == Kind::kEager;
  if (std::exchange(part.asks, false)) posted.units.push_back(request_of(*part.send));
  posted.units.push_back(std::move(part));
  const Method method = is_eager ? advice().eager_method(link.path(), size_bytes, link.methods())
                                 : advice().data_method(link.path(), size_bytes, link.methods());
  if (alive() > 1) {
    const bool is_kept = is_eager && (method == Method::kCopy || size_bytes <= kKeptBytesMax);
    posted.settle = is_kept ? Settle::kAtOnce : Settle::kWhenConfirmed;
    posted.probes = is_kept && !link.paces.is_sure(posted.sent_as, size_bytes);
  }
  if (method == Method::kRendezvous && link.has_variants()) {
    link.use(advice().variant(link.path(), size_bytes));
  }
  post(link, method, std::move(posted));
  refresh(lanes_[lane]);
  return all;
}

void Gate::send_chunk(std::size_t lane, std::uint64_t size_bytes,
                      std::optional<double> begin_by_ns) {
  if (lost_) return;
  Unit& whole = window_.small.front();
  NMT_CHECK(size_bytes > 0 && size_bytes <= whole.label.body_bytes);
  Unit part = whole;
  part.label.body_bytes = static_cast<std::uint32_t>(size_bytes);
  whole.label.offset_bytes += size_bytes;
  whole.label.body_bytes -= part.label.body_bytes;
  if (whole.label.body_bytes == 0) {
    window_.small.pop_front();
    context_.helpers->count_message();
  }
  Link& link = *links_[lanes_[lane].link];
  Posted posted = new_posted();
  posted.settle = Settle::kWhenConfirmed;  // a copy here would use this core again
  posted.begin_by_ns = round_ns_ + begin_by_ns.value_or(0);
  posted.units.push_back(std::move(part));
  const Method method = advice().eager_method(link.path(), size_bytes, link.methods());
  post(link, method, std::move(posted), begin_by_ns ? context_.helpers->find_idle() : nullptr);
  refresh(lanes_[lane]);
}

// Predicts when the rail is free again, with the profile's tracker. All messages of a round count
// from the start of the round, although one core submits them one after the other. So the delay of
// the later ones becomes part of the pace of their links.
void Gate::predict(Link& link, Posted& posted) const {
  const std::uint64_t size_bytes = posted.size_bytes();
  const auto now = static_cast<std::uint64_t>(round_ns_);
  const auto release_ns = [&] {
    return std::max(0.0, nmt_rails_release_ns(context_.tracker, link.rail(), now));
  };
  posted.follows = link.large_unconfirmed() > 0;
  posted.teaches = link.idle() && (link.settled() || release_ns() == 0);
  const std::optional<double> curve_ns = context_.advice.duration_ns(link.path(), size_bytes);
  posted.probes &= curve_ns.has_value();
  if (curve_ns) {
    if (posted.curve_ns == 0) posted.curve_ns = *curve_ns;
    const double pace = link.paces.factor(posted.sent_as, size_bytes);
    posted.duration_ns = pace * posted.curve_ns;
    // The next packet can follow a small one before that one has arrived: only the bytes occupy
    // the rail.
    const double latency_ns = posted.large ? 0 : pace * link.empty_ns;
    posted.transfer = nmt_transfer{};
    posted.transfer->struct_bytes = sizeof(nmt_transfer);
    nmt_rails_posted(context_.tracker, link.rail(), now,
                     std::max(0.0, posted.duration_ns - latency_ns), &*posted.transfer);
  }
  posted.planned_ns = round_ns_;
  posted.end_ns = round_ns_ + release_ns();
}

// Without a helper, this thread sends.
void Gate::post(Link& link, Method method, Posted posted, CoreHelper* helper) {
  predict(link, posted);
  posted.left_ns = now_ns();
  if (context_.transfers != nullptr) posted.trace(link.rail(), method);
  Head head{.received = link.received_count,
            .released_bytes = inbox_.released_bytes(),
            .came_ns = link.came_ns,
            .left_ns = static_cast<std::uint64_t>(posted.left_ns)};
  if (credit_blocked_ && !reported_credit_blocked_) head.flags |= Head::kCreditBlocked;
  reported_credit_blocked_ = credit_blocked_;
  link.answered();
  told_released_bytes_ = head.released_bytes;
  if (posted.settle == Settle::kAtOnce) {
    for (Unit& unit : posted.units) {
      if (unit.send) unit.send->keep_copy();
      settle(unit);
    }
  }
  try {
    if (helper != nullptr) {
      link.post_elsewhere(*helper, method, head, std::move(posted));
    } else {
      link.post(method, head, std::move(posted));
    }
  } catch (const Error& error) {
    lose(link, error.what());
  }
}

// Sends the counters that the peer waits for, unless another message has already carried them.
void Gate::send_states(bool idle) {
  const std::uint64_t untold_bytes = inbox_.released_bytes() - told_released_bytes_;
  bool speak = (peer_credit_blocked_ && untold_bytes > 0) ||
               untold_bytes >= context_.options.unexpected_bytes_max / 4 ||
               (credit_blocked_ && !reported_credit_blocked_);
  for (std::size_t i = 0; i < links_.size() && !lost_; ++i) {
    Link& link = *links_[i];
    const bool answers = link.answer_due(idle);
    if (!link.can_post() || !(answers || speak)) continue;
    if (untold_bytes > 0) peer_credit_blocked_ = false;
    speak = false;
    round_ns_ = now_ns();
    post(link, advice().eager_method(link.path(), 0, link.methods()), {});
  }
}

bool Gate::flush() {
  if (lost_) return true;
  try {
    return confirm_all();
  } catch (const std::bad_alloc&) {
    lose_peer("out of memory");
    return true;
  }
}

bool Gate::confirm_all() {
  round_ns_ = now_ns();
  bool done = waiting_.empty() && requests_.empty() && window_.empty();
  for (std::size_t i = 0; i < links_.size() && !lost_; ++i) {
    Link& link = *links_[i];
    if (link.settled()) continue;
    done = false;
    if (!link.in_doubt() || !link.can_post()) continue;
    post(link, advice().eager_method(link.path(), 0, link.methods()),
         {.settle = Settle::kWhenConfirmed});
  }
  return done;
}

}  // namespace nmt::engine
