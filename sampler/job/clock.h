// SPDX-License-Identifier: BSD-3-Clause
//
// One time for all ranks of a job: the clock of rank 0.
//
// The clocks of two ranks differ by an unknown constant. A rank that knows the time asks one that
// does not; the answer of the shortest round trip is assigned to its middle. The error is at most
// half of the difference between the two ways: microseconds on a quiet network. It adds up along a
// tree as deep as the logarithm of the number of ranks. Repeat it now and then, because clocks
// drift.
#pragma once

#include <vector>

#include "control/control.h"
#include "core/clock.h"

namespace nmt::sampler {

// One rank asks another.
struct ClockQuestion {
  int knows = 0;
  int asked = 0;
};
// The questions of all ranks; each rank goes through its own in this order. First a tree over the
// nodes' first ranks, so that no NIC carries two questions at a time, then one within each node.
// `nodes`: the ranks of each node; rank 0 is the first of the first.
std::vector<ClockQuestion> clock_questions(const std::vector<std::vector<int>>& nodes);

class JobClock {
 public:
  JobClock(const control::MpiJob& job, const std::vector<std::vector<int>>& nodes,
           const Clock& clock)
      : job_(job), nodes_(nodes), clock_(clock) {}

  void synchronise();  // called by all ranks

  double now_ns() const { return static_cast<double>(clock_.now_ns()) - ahead_ns_; }
  // Sleeps until just before that time, then polls the clock.
  void wait_until(double time_ns) const;
  // Idle until then, but for letting the MPI finish its sends, as a program does that calls it now
  // and then. Between an operation and messages about its time, which would disturb ranks that are
  // still at work.
  void rest_until(double time_ns) const;

 private:
  void lead(int other);
  void follow(int other);

  const control::MpiJob& job_;
  const std::vector<std::vector<int>>& nodes_;
  const Clock& clock_;
  double ahead_ns_ = 0;  // compared with rank 0's clock
};

// How long to rest from the start of an operation that usually takes so long.
double rest_after(double usual_ns);

}  // namespace nmt::sampler
