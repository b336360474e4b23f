// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/waiting.h"

#include <poll.h>
#include <sched.h>

namespace nmt::drivers {
namespace {

// Polls between two readings of the clock; a reading costs about as much as a poll.
constexpr std::uint64_t kLooksPerCheck = 8;

// Going to sleep and waking by an interrupt takes some microseconds if the core stays awake, and
// some ten if it does not.
constexpr std::chrono::microseconds kLooking{20};

// News is frequent if one wait begins so soon after the other: a round trip of small messages with
// a sleep at both ends.
constexpr std::chrono::microseconds kFrequent{200};

// Where a core is shared, polling for long delays what it waits for. After one that was in vain,
// this many waits are short.
constexpr int kShortWaits = 16;

// A caller's prediction of a transfer can come true without news from an endpoint, so sleep no
// longer.
constexpr timespec kSleepMax{.tv_sec = 0, .tv_nsec = 1'000'000};

}  // namespace

bool Waiting::rest(std::uint64_t looks_in_vain, const Watch& watch) {
  if (looks_in_vain == 1) {
    const Clock::time_point now = now_();
    const bool frequent = now - since_ < kFrequent && short_waits_ == 0;
    if (short_waits_ > 0) --short_waits_;
    look_at_most_ = frequent ? kFrequent : kLooking;
    looking_ = true;
    since_ = now;
  }
  if (looking_) {
    if (looks_in_vain % kLooksPerCheck != 0) return false;
    looking_ = now_() - since_ < look_at_most_;
    if (looking_) return false;
    if (look_at_most_ == kFrequent) short_waits_ = kShortWaits;
  }
  watched_.clear();
  if (!watch(watched_)) {
    ::sched_yield();
    return false;
  }
  ::ppoll(watched_.data(), watched_.size(), &kSleepMax, nullptr);
  return true;
}

}  // namespace nmt::drivers
