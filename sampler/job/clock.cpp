// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/clock.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

namespace nmt::sampler {
namespace {

constexpr int kQuestions = 20;
constexpr std::chrono::microseconds kNap{500};
constexpr double kRestMaxNs = 2e6;  // beyond the usual duration
constexpr double kLookNs = 60e3;    // poll this long before the time: waking up may take as long

}  // namespace

void JobClock::synchronise() {
  for (int other = 1; other < job_.size(); ++other) {
    if (job_.leads()) lead(other);
    if (job_.rank() == other) follow();
  }
  job_.mpi().barrier(0);
}

void JobClock::lead(int other) {
  double shortest_ns = std::numeric_limits<double>::infinity(), ahead_ns = 0, theirs_ns = 0;
  for (int i = 0; i < kQuestions; ++i) {
    const auto asked_ns = static_cast<double>(clock_.now_ns());
    job_.mpi().send(&theirs_ns, sizeof theirs_ns, other);
    job_.mpi().receive(&theirs_ns, sizeof theirs_ns, other);
    const double trip_ns = static_cast<double>(clock_.now_ns()) - asked_ns;
    if (trip_ns >= shortest_ns) continue;
    shortest_ns = trip_ns;
    ahead_ns = theirs_ns - (asked_ns + trip_ns / 2);
  }
  job_.mpi().send(&ahead_ns, sizeof ahead_ns, other);
}

void JobClock::follow() {
  for (int i = 0; i < kQuestions; ++i) {
    double now_ns = 0;
    job_.mpi().receive(&now_ns, sizeof now_ns, 0);
    now_ns = static_cast<double>(clock_.now_ns());
    job_.mpi().send(&now_ns, sizeof now_ns, 0);
  }
  job_.mpi().receive(&ahead_ns_, sizeof ahead_ns_, 0);
}

void JobClock::wait_until(double time_ns) const {
  const double left_ns = time_ns - now_ns() - kLookNs;
  if (left_ns > 0) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<std::int64_t>(left_ns)));
  }
  while (now_ns() < time_ns) {
  }
}

void JobClock::rest_until(double time_ns) const {
  for (double left_ns; (left_ns = time_ns - now_ns()) > 0;) {
    const std::chrono::nanoseconds left(static_cast<std::int64_t>(left_ns));
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, kNap));
    job_.mpi().arrived(0);
  }
}

double rest_after(double usual_ns) { return usual_ns + std::min(usual_ns, kRestMaxNs); }

}  // namespace nmt::sampler
