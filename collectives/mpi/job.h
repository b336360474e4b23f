// SPDX-License-Identifier: BSD-3-Clause
//
// The job that the library is in: the advice that all ranks share, the calls that it replaces, and
// counts of them.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <compare>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collectives/advice.h"
#include "collectives/mpi/argument_checker.h"
#include "collectives/mpi/communicator/comm_state.h"
#include "collectives/mpi/hierarchy/failure.h"
#include "collectives/mpi/hierarchy/failure_notifier.h"
#include "collectives/mpi/hierarchy/mpi_failure.h"
#include "collectives/mpi/library/library_algorithms.h"
#include "collectives/mpi/unequal_blocks.h"

namespace nmt::collectives {

class Job {
 public:
  // Limit of what a rank sends or receives in a call: int counts of MPI, where messages are cut
  // into pieces or gathered.
  static constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 30;

  static Job& here();

  // Called by all ranks after MPI_Init; rank 0 reads the profile for all.
  void start();

  // Only if there are rules.
  const ArgumentChecker& argument_checker() const { return argument_checker_; }

  // How to handle a call; the same on all ranks.
  struct Decision {
    const Rule* rule = nullptr;       // null: leave it to the MPI
    CommState* comm_state = nullptr;  // of its communicator
    Lease* lease = nullptr;           // after prepare(), if ours runs it
    MPI_Comm on = MPI_COMM_NULL;      // after prepare(), if the MPI runs it: the communicator
    std::uint64_t bytes = 0;          // of a message
    std::optional<int> otherwise;     // the call's result if it failed; nullopt: leave it alone

    bool acts() const { return rule != nullptr; }
    bool is_by_library() const { return acts() && !rule->is_ours(); }
    int ranks() const { return static_cast<int>(comm_state->ranks.size()); }
    NodeHierarchy& hierarchy() const { return *lease->hierarchy; }
  };
  // Does not communicate.
  Decision decide(Operation operation, MPI_Count count, MPI_Datatype type, MPI_Comm comm) noexcept;
  // The same for an operation with a root. A rank's call has a meaning for its blocks either at the
  // root or elsewhere: `at_root` are the elements that the root passes, `elsewhere` those that all
  // other ranks pass.
  struct Elements {
    MPI_Count count;
    MPI_Datatype type;
  };
  Decision decide_rooted(Operation operation, const Elements& at_root, const Elements& elsewhere,
                         int root, MPI_Comm comm) noexcept;
  // The same for an operation whose blocks have different sizes, all of which each rank knows. The
  // mean size decides. If one block is much larger than the mean, the call is left to the MPI,
  // because nothing like it was sampled.
  Decision decide_by_mean(Operation operation, const Counts& counts, MPI_Datatype type,
                          MPI_Comm comm) noexcept;
  // The same for an operation without data.
  Decision decide_without_data(Operation operation, MPI_Comm comm) noexcept;
  // The same for an operation of which each rank knows only its own sizes: by the communicator
  // alone. Acts where the ranks have to find out together how much there is; then choose() decides.
  Decision decide_to_look(Operation operation, MPI_Comm comm) noexcept;
  // For what they found; after prepare(). No rule if the call is left to the MPI.
  void choose(Operation operation, std::uint64_t bytes, Decision& decision) const;
  // Called by all ranks before they run the operation on these buffers. False: leave it to the MPI.
  bool prepare(Decision& decision, MPI_Comm comm,
               std::initializer_list<const void*> buffers) noexcept;
  bool prepare_without_data(Decision& decision, MPI_Comm comm) noexcept;

  // The MPI refuses the call with this code, at least on this rank: notifies the others, so that
  // they do not wait.
  void leave_out(Decision& decision, MPI_Comm comm, int code) noexcept;

  // Runs the operation: 0, or the error after the communicator's handler was called.
  template <class Action>
  int act(Operation operation, const Decision& decision, MPI_Comm comm, Action&& action) noexcept {
    const auto start = std::chrono::steady_clock::now();
    const int code = run(decision, comm, action);
    if (code == MPI_SUCCESS) {
      count(operation, decision, std::chrono::steady_clock::now() - start);
    }
    return code;
  }
  // The same for what is not counted as a replaced call.
  template <class Action>
  int run(const Decision& decision, MPI_Comm comm, Action&& action) noexcept {
    if (decision.is_by_library()) return run_by_library(decision, comm, action);
    const int code = guarded(comm, [&] {
      decision.lease->watch->begin_call();
      action();
    });
    if (code != MPI_SUCCESS) {
      decision.lease->spoiled = true;
      decision.lease->watch->report_failure(code);
    }
    return code;
  }

 private:
  // One of the MPI's algorithms that some rule chooses, and how many calls it ran.
  struct LibraryCalls {
    Operation operation;
    std::string algorithm;
    LibraryChoice choice;
    std::atomic<std::uint64_t> calls{0};
  };

  // If the MPI ran on the program's own communicator, it has already called the error handler. Then
  // its code is returned, and no handler is called a second time.
  template <class Action>
  int run_by_library(const Decision& decision, MPI_Comm comm, Action&& action) noexcept {
    int handled = MPI_SUCCESS;
    const int code = guarded(comm, [&] {
      std::optional<LibrarySetting> setting;
      if (!kNeedsShadow) setting.emplace(calls_of(*decision.rule).choice);
      try {
        action();
      } catch (const MpiFailure& failure) {
        if (decision.on != comm) throw;
        handled = failure.code;
      }
    });
    return code != MPI_SUCCESS ? code : handled;
  }

  // Of a communicator.
  struct Shape {
    int nodes = 0;
    int ranks = 0;
    std::set<int> ranks_per_node = {};  // the different numbers that nodes have
    auto operator<=>(const Shape&) const = default;
  };

  struct Tally {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> replaced{0};
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint64_t> time_ns{0};
  };

  // collectives/mpi/job_start.cpp
  void share(Advice* advice) const;
  void number_library_rules(std::vector<Rule>* rules);
  static void report();

  // collectives/mpi/job.cpp
  Decision decide(Operation operation, std::uint64_t bytes, MPI_Comm comm);
  Decision decide_guarded(Operation operation, std::uint64_t bytes, MPI_Comm comm) noexcept;
  Decision decide_by_mean_of(Operation operation, const Counts& counts, MPI_Datatype type,
                             MPI_Comm comm);
  Decision decide_to_look_at(Operation operation, MPI_Comm comm);
  template <class Suits>
  bool prepare_if(Decision& decision, MPI_Comm comm, Suits&& suits) noexcept;
  bool prepare_by_library(Decision& decision, MPI_Comm comm,
                          std::initializer_list<const void*> buffers) noexcept;
  void count(Operation operation, const Decision& decision, std::chrono::nanoseconds took);
  LibraryCalls& calls_of(const Rule& rule) {
    return library_calls_[static_cast<std::size_t>(rule.library)];
  }
  Shape shape_of(const std::vector<int>& ranks) const;
  const std::vector<Rule>& rules_of(const Shape& shape);
  CommState make_comm_state(MPI_Comm comm);
  std::vector<RankLocation> locations_of(const std::vector<int>& ranks) const;
  Lease& lease_for(const Rule& rule, CommState& comm_state, MPI_Comm comm);
  Lease take_lease(int leaders, const CommState& comm_state, MPI_Comm comm);
  void leave_out_unknown(Operation operation, MPI_Comm comm, int code) noexcept;
  HierarchyOptions options(int leaders) const;

  RulesByShape rules_;
  std::mutex rules_of_shapes_mutex_;
  std::map<Shape, std::vector<Rule>> rules_of_shapes_;  // of those that were met; nothing goes
  ArgumentChecker argument_checker_;
  FailureNotifier notifier_;
  std::array<Tally, kOperations.size()> tallies_;
  std::deque<LibraryCalls> library_calls_;  // by Rule::library
  std::atomic_flag started_ = ATOMIC_FLAG_INIT;
  bool reports_ = false;
  bool has_devices_ = false;  // a rank of the job has a device runtime, and there are library rules
  std::vector<RankLocation> locations_;  // of all ranks, if there are rules
  MPI_Group world_ = MPI_GROUP_NULL;     // the same
  bool oversubscribed_ = false;          // by all ranks of the job together

  Job() = default;
};

}  // namespace nmt::collectives
