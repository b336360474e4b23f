// SPDX-License-Identifier: BSD-3-Clause
//
// For what a process of a job waits for in MPI: a rank that hangs would keep the others waiting for
// ever, and MPI knows no time limits.
//
// Where the object is still there after its time, the process says so and ends with exit code 5, at
// which the launcher ends the job. By SIGALRM; one at a time.
#pragma once

namespace nmt::control {

class HangAlarm {
 public:
  explicit HangAlarm(double limit_ns);
  ~HangAlarm();
  HangAlarm(const HangAlarm&) = delete;
  HangAlarm& operator=(const HangAlarm&) = delete;
};

}  // namespace nmt::control
