// SPDX-License-Identifier: BSD-3-Clause
//
// A time limit for what a process of a job waits for in MPI. MPI has no time limits, so one rank
// that hangs would keep the others waiting for ever.
//
// If the object still exists after its time, SIGALRM comes: the process prints an error, and
// MPI_Abort ends the job with exit code 5, because not every launcher ends the ranks of other nodes
// when one rank just exits (hydra waits for them). Before that it waits a second, so that the
// launcher passes the error on: on an abort hydra ends before it has read all output of its
// proxies. MPI_Abort is not allowed in signal handlers, but nothing is left to break here. If it
// does not return within kAbortS, the process ends itself. One at a time.
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
