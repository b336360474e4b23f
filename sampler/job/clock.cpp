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

// A binomial tree from the first of them.
void add_tree(const std::vector<int>& ranks, std::vector<ClockQuestion>* questions) {
  for (std::size_t known = 1; known < ranks.size(); known *= 2) {
    for (std::size_t i = 0; i < known && i + known < ranks.size(); ++i) {
      questions->push_back({ranks[i], ranks[i + known]});
    }
  }
}

}  // namespace

std::vector<ClockQuestion> clock_questions(const std::vector<std::vector<int>>& nodes) {
  std::vector<int> first;
  for (const std::vector<int>& node : nodes) first.push_back(node.front());
  std::vector<ClockQuestion> questions;
  add_tree(first, &questions);
  for (const std::vector<int>& node : nodes) add_tree(node, &questions);
  return questions;
}

void JobClock::synchronise() {
  for (const ClockQuestion& question : clock_questions(nodes_)) {
    if (question.knows == job_.rank()) lead(question.asked);
    if (question.asked == job_.rank()) follow(question.knows);
  }
  job_.mpi().barrier(0);
}

void JobClock::lead(int other) {
  double shortest_ns = std::numeric_limits<double>::infinity(), ahead_ns = 0, theirs_ns = 0;
  for (int i = 0; i < kQuestions; ++i) {
    const double asked_ns = now_ns();
    job_.mpi().send(&theirs_ns, sizeof theirs_ns, other);
    job_.mpi().receive(&theirs_ns, sizeof theirs_ns, other);
    const double trip_ns = now_ns() - asked_ns;
    if (trip_ns >= shortest_ns) continue;
    shortest_ns = trip_ns;
    ahead_ns = theirs_ns - (asked_ns + trip_ns / 2);
  }
  job_.mpi().send(&ahead_ns, sizeof ahead_ns, other);
}

void JobClock::follow(int other) {
  for (int i = 0; i < kQuestions; ++i) {
    double now_ns = 0;
    job_.mpi().receive(&now_ns, sizeof now_ns, other);
    now_ns = static_cast<double>(clock_.now_ns());
    job_.mpi().send(&now_ns, sizeof now_ns, other);
  }
  job_.mpi().receive(&ahead_ns_, sizeof ahead_ns_, other);
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
