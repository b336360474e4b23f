// SPDX-License-Identifier: BSD-3-Clause
//
// For what a process of a job waits for in MPI: a rank that hangs would keep the others waiting for
// ever, and MPI knows no time limits.
//
// Where the object is still there after its time, the process says so and has MPI_Abort end the job
// with exit code 5: not every launcher ends the ranks of other nodes when one has merely left
// (hydra waits for them). It gives the launcher a second first to pass on what was said: hydra ends
// on an abort with what its proxies have written still unread. MPI_Abort is not meant for signal
// handlers, but there is nothing left to break; where it does not return within kAbortS, the
// process ends by itself. By SIGALRM; one at a time.
#pragma once

namespace nmt::control {

class HangAlarm {
 public:
  // `abort` is the MPI's (nmt_mpi_table), or a test's.
  HangAlarm(double limit_ns, void (*abort)(int code));
  ~HangAlarm();
  HangAlarm(const HangAlarm&) = delete;
  HangAlarm& operator=(const HangAlarm&) = delete;
};

}  // namespace nmt::control
