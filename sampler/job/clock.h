// SPDX-License-Identifier: BSD-3-Clause
//
// One time for all ranks of a job: that of rank 0.
//
// The clocks of two nodes differ by an unknown constant. Rank 0 asks each other rank for its time;
// the answer of the shortest round trip belongs to the middle of it. Good to half the difference of
// the two ways, microseconds on a quiet network; to be repeated now and then, since clocks drift.
#pragma once

#include "control/control.h"
#include "core/clock.h"

namespace nmt {

class JobClock {
 public:
  JobClock(const control::MpiJob& job, const Clock& clock) : job_(job), clock_(clock) {}

  void synchronise();  // by all ranks

  double now_ns() const { return static_cast<double>(clock_.now_ns()) - ahead_ns_; }
  // Sleeps until just before, then looks at the clock.
  void wait_until(double time_ns) const;

 private:
  void lead(int other);
  void follow();

  const control::MpiJob& job_;
  const Clock& clock_;
  double ahead_ns_ = 0;  // of rank 0's clock
};

}  // namespace nmt
