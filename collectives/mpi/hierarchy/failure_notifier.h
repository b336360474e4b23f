// SPDX-License-Identifier: BSD-3-Clause
//
// How a rank whose call fails prevents the others from waiting for it.
//
// There are two cases. A rank finds its own arguments wrong before any data moves: it takes no part
// in the call and reports its absence. Or an operation fails in the middle: the rank reports that
// the hierarchy has failed, permanently. Reports go to every other rank of the hierarchy, in a
// communicator of the whole job that carries nothing else. A rank looks for them while it waits;
// ranks of the same node do so too. A job without errors sends nothing, and looks only where it
// would sleep or poll anyway.
//
// All ranks of a call may be wrong at once, and go on with the next call. So an absence counts only
// for a rank that takes part in a call that the absent rank left out. Thread-safe.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace nmt::collectives {

// A collective failed on another rank. Not a std::exception, because it only carries an error
// class.
struct FailedElsewhere {
  int error_class;
};

struct FailureReport {
  std::uint64_t hierarchy = 0;  // its number in the job
  std::uint64_t calls = 0;      // that the rank has begun
  std::uint64_t absences = 0;   // of the rank, including this one
  std::int32_t error_class = MPI_SUCCESS;
  std::int32_t has_failed = 0;  // of the hierarchy; else this is an absence
};

class FailureNotifier {
 public:
  void start();  // once, by all ranks of the job; MpiFailure
  // Sends it to all other ranks of a communicator of this job, without waiting.
  void send(const FailureReport& report, MPI_Comm to) noexcept;
  // Reports that have arrived for that hierarchy; each is returned once.
  std::vector<FailureReport> received_for(std::uint64_t hierarchy);
  void forget_all() noexcept;  // drops reports: UCX warns of messages not received

 private:
  void receive_all();

  MPI_Comm job_ = MPI_COMM_NULL;
  std::mutex mutex_;
  std::vector<FailureReport> received_;
  std::deque<FailureReport> sent_;  // the MPI may read one until the job ends
};

// The watch of one hierarchy.
class FailureWatch {
 public:
  FailureWatch() = default;  // never reports a failure
  FailureWatch(FailureNotifier* notifier, std::uint64_t hierarchy, MPI_Comm comm)
      : notifier_(notifier), hierarchy_(hierarchy), comm_(comm) {}

  // At the start of each call, and while it waits. Throws FailedElsewhere.
  void begin_call();
  void check();
  // This rank takes no part in a call; its part of a call has failed.
  void report_absence(int error_code) noexcept;
  void report_failure(int error_code) noexcept;

 private:
  bool concerns_this_rank(const FailureReport& report) const;
  FailureReport report(int error_code) const;

  FailureNotifier* notifier_ = nullptr;
  std::uint64_t hierarchy_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::uint64_t calls_ = 0;
  std::uint64_t absences_ = 0;
  std::vector<FailureReport> later_;  // about calls that this rank has not begun
  int failed_ = MPI_SUCCESS;
  bool all_know_ = false;
};

}  // namespace nmt::collectives
