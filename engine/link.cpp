// SPDX-License-Identifier: BSD-3-Clause
#include "engine/link.h"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/error.h"

namespace nmt::engine {
namespace {

// Unconfirmed messages are kept. After this many, the link asks for an answer, to drop them.
constexpr std::uint32_t kUnaskedMax = 32;

// Rounds without news after which a late answer goes alone: longer than an application takes from
// the end of a receive to its own next send.
constexpr unsigned kRoundsOwedMax = 64;

// Polls without news before a link counts as quiet, and rounds between two polls of a quiet link.
constexpr unsigned kQuietAfterPolls = 256;
constexpr unsigned kRoundsBetweenPolls = 16;

}  // namespace

Link::Link(LinkDescription description, int path, std::uint32_t rail,
           std::pmr::memory_resource* memory)
    : endpoint_(std::move(description.endpoint)),
      methods_(std::move(description.methods)),
      variants_(std::move(description.variants)),
      path_(path),
      rail_(rail),
      arriving_(endpoint_->receives_max()),
      posted_(memory) {
  state_.rail = std::move(description.rail);
  for (Arriving& each : arriving_) endpoint_->listen(each.headers);
}

Link::~Link() { wait_for_helper(); }

double Link::overdue_ns(double now_ns) const {
  if (unconfirmed_.occupying == 0) return 0;
  for (const Posted& posted : posted_) {
    if (posted.occupies()) return std::max(0.0, now_ns - posted.end_ns);
  }
  return 0;
}

void Link::prepare(Head head, Posted posted) {
  const Label nothing;
  prepared_.count = std::max<std::size_t>(1, posted.units.size());
  if (posted.settle == Settle::kWhenConfirmed || posted.probes) {
    head.flags |= Head::kAnswer;
  } else if ((posted.large && posted.settle == Settle::kAtOnce) ||
             count_ - asked_any_ >= kUnaskedMax) {
    head.flags |= Head::kAnswerLater;
  }
  std::memcpy(prepared_.headers.data(), &head, sizeof head);
  std::size_t from = 0, to = sizeof head;
  for (std::size_t i = 0; i < prepared_.count; ++i) {
    const Label& label = posted.units.empty() ? nothing : posted.units[i].label;
    std::memcpy(prepared_.headers.data() + to, &label, sizeof label);
    to += sizeof label;
    drivers::Packet& packet = prepared_.packets[i];
    packet.header = drivers::ConstBytes(prepared_.headers).subspan(from, to - from);
    packet.body = posted.units.empty() ? drivers::ConstBytes{} : posted.units[i].body();
    state_.bytes_sent += packet.body.size();
    from = to;
  }
  prepared_.header_bytes = to;
  posted.number = ++count_;
  if ((head.flags & Head::kAnswer) != 0) asked_ = count_;
  if ((head.flags & (Head::kAnswer | Head::kAnswerLater)) != 0) asked_any_ = count_;
  ++state_.messages_sent;
  state_.packets_sent += posted.units.size();
  posted_.push_back(std::move(posted));
  unconfirmed_.add(posted_.back());
  ++unsent_;
}

// The same name as last time is at the same place in the profile.
void Link::use(std::string_view variant) {
  if (std::exchange(advised_variant_, variant.data()) == variant.data()) return;
  const auto found = std::ranges::find(variants_, variant);
  if (found == variants_.end()) return;
  const auto index = static_cast<std::size_t>(found - variants_.begin());
  if (std::exchange(variant_, index) == index) return;
  endpoint_->use(Method::kRendezvous, static_cast<unsigned>(index));
}

void Link::post(Method method, Head head, Posted posted) {
  prepare(head, std::move(posted));
  endpoint_->send(method, std::span(prepared_.packets).first(prepared_.count));
}

void Link::post_elsewhere(CoreHelper& helper, Method method, Head head, Posted posted) {
  NMT_CHECK(posted.units.size() == 1);
  helper_ = &helper;
  begin_by_ns_ = posted.begin_by_ns;
  prepare(head, std::move(posted));
  away_ = std::make_unique<Job>(
      *endpoint_, method, drivers::ConstBytes(prepared_.headers).first(prepared_.header_bytes),
      prepared_.packets[0].body);
  helper.start(*away_);
}

// What the helper has not begun is not sent.
void Link::wait_for_helper() {
  if (away_ && !away_->done() && helper_->take_back()) away_.reset();
  while (away_ && !away_->done()) ::sched_yield();
  away_.reset();
}

bool Link::confirm(std::uint32_t number) {
  if (!reaches(number, confirmed_) || !reaches(count_, number)) return false;
  confirmed_ = number;
  return true;
}

bool Link::in_doubt() const {
  for (auto posted = posted_.rbegin(); posted != posted_.rend(); ++posted) {
    if (!posted->units.empty()) return !reaches(asked_, posted->number);
  }
  return false;
}

void Link::owe(bool at_once) {
  rounds_owed_ = 0;
  owes_ = at_once || owes_ != Owes::kNothing ? Owes::kNow : Owes::kLater;
}

bool Link::answer_due(bool idle) {
  if (owes_ == Owes::kLater && idle && ++rounds_owed_ >= kRoundsOwedMax) owes_ = Owes::kNow;
  return owes_ == Owes::kNow;
}

bool Link::hurry() {
  if (owes_ != Owes::kNothing) owes_ = Owes::kNow;
  return owes_ != Owes::kNothing && can_post();
}

bool Link::due() {
  const bool expects = away_ || unsent_ > 0 || !reaches(confirmed_, asked_);
  if (expects || polls_in_vain_ < kQuietAfterPolls) return true;
  return ++polls_in_vain_ % kRoundsBetweenPolls == 0;
}

drivers::Endpoint::Progress Link::poll(const Clock& clock) {
  if (away_) {
    if (!away_->done()) {
      const bool is_late = static_cast<double>(clock.now_ns()) >= begin_by_ns_;
      if (!is_late || !helper_->take_back()) return {};
      away_->run();
    } else {
      helper_->was_in_time();
    }
    const std::unique_ptr<Job> job = std::move(away_);
    job->check();
  }
  const drivers::Endpoint::Progress progress = endpoint_->poll();
  if (progress.announced) announced = {progress.header_bytes, progress.body_bytes};
  const bool happened = progress.sent > 0 || progress.announced || progress.received;
  polls_in_vain_ = happened ? 0 : polls_in_vain_ + (polls_in_vain_ < kQuietAfterPolls);
  return progress;
}

void Link::accept(std::span<const drivers::Bytes> places) {
  announced.reset();
  told_short = false;
  announced_at_ = after(announced_at_);
  endpoint_->accept(places);
}

const Parsed& Link::received() {
  Arriving& oldest = arriving_[oldest_];
  oldest_ = after(oldest_);
  ++received_count;
  endpoint_->listen(oldest.headers);
  return oldest.parsed;
}

void Link::give_up(const std::string& reason) {
  wait_for_helper();
  endpoint_.reset();
  announced.reset();
  state_.alive = false;
  unsent_ = 0;
  state_.reason = reason;
}

std::vector<Posted> Link::take_lost() {
  std::vector<Posted> lost(std::move_iterator(posted_.begin()), std::move_iterator(posted_.end()));
  posted_.clear();
  unconfirmed_ = {};
  return lost;
}

}  // namespace nmt::engine
