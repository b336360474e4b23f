// SPDX-License-Identifier: BSD-3-Clause
//
// One time for all ranks of a job: the clock of rank 0.
//
// The clocks of two nodes differ by an unknown constant. Rank 0 asks each other rank for its time;
// the answer of the shortest round trip is assigned to its middle. The error is at most half of the
// difference between the two ways: microseconds on a quiet network. Repeat it now and then, because
// clocks drift.
#pragma once

#include "control/control.h"
#include "core/clock.h"

namespace nmt::sampler {

class JobClock {
 public:
  JobClock(const control::MpiJob& job, const Clock& clock) : job_(job), clock_(clock) {}

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
  void follow();

  const control::MpiJob& job_;
  const Clock& clock_;
  double ahead_ns_ = 0;  // compared with rank 0's clock
};

// How long to rest from the start of an operation that usually takes so long.
double rest_after(double usual_ns);

}  // namespace nmt::sampler
