// SPDX-License-Identifier: BSD-3-Clause
//
// The job that the interposition library is in: the advice that all ranks share, which calls it
// acts on, and what it did.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "collectives/advice.h"
#include "collectives/mpi/argument_checker.h"
#include "collectives/mpi/comm_state.h"
#include "collectives/mpi/failure.h"
#include "collectives/mpi/failure_notifier.h"

namespace nmt::collectives {

class Job {
 public:
  static Job& here();

  // After MPI_Init, by all ranks: rank 0 reads the profile for all.
  void start();

  const ArgumentChecker& argument_checker() const {
    return argument_checker_;
  }  // where there are rules

  // How to act on a call, by all ranks alike.
  struct Decision {
    const Rule* rule = nullptr;       // null: not by us
    CommState* comm_state = nullptr;  // for its communicator
    Lease* lease = nullptr;           // once it is prepared
    std::uint64_t bytes = 0;          // of a message
    std::optional<int> otherwise;     // the call's result where it failed; nullopt: leave it alone

    bool acts() const { return rule != nullptr; }
    int ranks() const { return static_cast<int>(comm_state->ranks.size()); }
    NodeHierarchy& hierarchy() const { return *lease->hierarchy; }
  };
  // Talks to nobody.
  Decision decide(Operation operation, MPI_Count count, MPI_Datatype type, MPI_Comm comm) noexcept;
  // By all ranks, before they act upon these buffers of theirs: false where they do not.
  bool prepare(Decision& decision, MPI_Comm comm,
               std::initializer_list<const void*> buffers) noexcept;

  // The library refuses the call for this code, on this rank at least: the others do not wait.
  void leave_out(Decision& decision, MPI_Comm comm, int code) noexcept;

  // Acts: 0, or the error as the communicator's handler has it.
  template <class Action>
  int act(Operation operation, const Decision& decision, MPI_Comm comm, Action&& action) noexcept {
    const auto start = std::chrono::steady_clock::now();
    const int code = guarded(comm, [&] {
      decision.lease->watch->begin_call();
      action();
    });
    if (code != MPI_SUCCESS) {
      decision.lease->spoiled = true;
      decision.lease->watch->report_failure(code);
    } else {
      count(operation, decision.bytes, std::chrono::steady_clock::now() - start);
    }
    return code;
  }

 private:
  struct Tally {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> replaced{0};
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint64_t> time_ns{0};
  };

  Decision decide(Operation operation, std::uint64_t bytes, MPI_Comm comm);
  void count(Operation operation, std::uint64_t bytes, std::chrono::nanoseconds took);
  void share(Advice* advice) const;
  CommState make_comm_state(MPI_Comm comm) const;
  std::vector<RankLocation> locations_of(const std::vector<int>& ranks) const;
  Lease& lease_for(const Rule& rule, CommState& comm_state, MPI_Comm comm);
  Lease take_lease(int leaders, const CommState& comm_state, MPI_Comm comm);
  void leave_out_unknown(MPI_Comm comm, int code) noexcept;
  HierarchyOptions options(int leaders) const;
  static void report();

  Advice advice_;
  ArgumentChecker argument_checker_;
  FailureNotifier notifier_;
  std::array<std::uint64_t, kOperations.size()> least_bytes_;
  std::array<Tally, kOperations.size()> tallies_;
  std::atomic_flag started_ = ATOMIC_FLAG_INIT;
  bool reports_ = false;
  std::vector<RankLocation> locations_;  // of all ranks, where there are rules
  bool oversubscribed_ = false;          // all ranks together, whatever communicator waits

  Job() { least_bytes_.fill(~std::uint64_t{0}); }
};

}  // namespace nmt::collectives
