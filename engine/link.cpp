// SPDX-License-Identifier: BSD-3-Clause
#include "engine/link.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace nmt::engine {
namespace {

// Unconfirmed messages are kept; after this many, an answer is asked for so that they can go.
constexpr std::uint32_t kUnaskedMax = 32;

// Numbers are modulo 2^32; those that are compared are near each other.
bool reaches(std::uint32_t number, std::uint32_t other) {
  return static_cast<std::int32_t>(number - other) >= 0;
}

}  // namespace

Link::Link(LinkDescription description, int path, std::uint32_t rail)
    : endpoint_(std::move(description.endpoint)),
      methods_(std::move(description.methods)),
      path_(path),
      rail_(rail) {
  state_.rail = std::move(description.rail);
  endpoint_->listen(headers_);
}

std::size_t Link::large_unconfirmed() const {
  return static_cast<std::size_t>(std::ranges::count_if(posted_, &Posted::large));
}

double Link::overdue_ns(double now_ns) const {
  for (const Posted& posted : posted_) {
    if (posted.large) return std::max(0.0, now_ns - posted.end_ns);
  }
  return 0;
}

void Link::post(Method method, Head head, Posted posted) {
  std::array<std::byte, kHeadersBytesMax> headers;
  std::array<Packet, kPacketsMax> packets;
  const Label nothing;
  const std::size_t count = std::max<std::size_t>(1, posted.units.size());
  if (posted.settle == Settle::kWhenConfirmed || count_ - asked_ >= kUnaskedMax) {
    head.flags |= Head::kAnswer;
  }
  std::memcpy(headers.data(), &head, sizeof head);
  std::size_t from = 0, to = sizeof head;
  for (std::size_t i = 0; i < count; ++i) {
    const Label& label = posted.units.empty() ? nothing : posted.units[i].label;
    std::memcpy(headers.data() + to, &label, sizeof label);
    to += sizeof label;
    packets[i].header = ConstBytes(headers).subspan(from, to - from);
    packets[i].body = posted.units.empty() ? ConstBytes{} : posted.units[i].body();
    state_.bytes_sent += packets[i].body.size();
    from = to;
  }
  posted.number = ++count_;
  if ((head.flags & Head::kAnswer) != 0) asked_ = count_;
  ++state_.messages_sent;
  state_.packets_sent += posted.units.size();
  posted_.push_back(std::move(posted));
  ++unsent_;
  endpoint_->send(method, std::span(packets).first(count));
}

void Link::sent(unsigned count, const Visitor& visit) {
  for (; count > 0; --count) visit(posted_[posted_.size() - unsent_--]);
}

bool Link::confirm(std::uint32_t number) {
  if (!reaches(number, confirmed_) || !reaches(count_, number)) return false;
  confirmed_ = number;
  return true;
}

void Link::drop_confirmed(const Visitor& visit) {
  while (posted_.size() > unsent_ && reaches(confirmed_, posted_.front().number)) {
    visit(posted_.front());
    posted_.pop_front();
  }
}

bool Link::settled() const {
  return std::ranges::all_of(posted_, [](const Posted& posted) { return posted.units.empty(); });
}

bool Link::in_doubt() const {
  for (auto posted = posted_.rbegin(); posted != posted_.rend(); ++posted) {
    if (!posted->units.empty()) return !reaches(asked_, posted->number);
  }
  return false;
}

void Link::received() {
  ++received_count;
  endpoint_->listen(headers_);
}

void Link::give_up(const std::string& reason) {
  endpoint_.reset();
  state_.alive = false;
  state_.reason = reason;
  unsent_ = 0;
}

std::vector<Posted> Link::take_lost() {
  std::vector<Posted> lost(std::move_iterator(posted_.begin()), std::move_iterator(posted_.end()));
  posted_.clear();
  for (const Posted& posted : lost) state_.packets_again += posted.units.size();
  return lost;
}

}  // namespace nmt::engine
