// SPDX-License-Identifier: BSD-3-Clause
//
// The job that the interposition library is in: the advice that all ranks share, which calls it
// acts on, and what it did.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>

#include "collectives/advice.h"
#include "collectives/mpi/teams.h"

namespace nmt::collectives {

class Job {
 public:
  static Job& here();

  // After MPI_Init, by all ranks: rank 0 reads the profile for all.
  void start();

  // How to act on a call, by all ranks alike; `team` null: leave it alone.
  struct Decision {
    Team* team = nullptr;
    const Rule* rule = nullptr;
    std::uint64_t bytes = 0;  // of a message
  };
  Decision decide(Operation operation, int count, MPI_Datatype type, MPI_Comm comm);

  // Acts: 0, or the error as the communicator's handler has it.
  int act(Operation operation, const Decision& decision, MPI_Comm comm,
          const std::function<void()>& action);

 private:
  struct Tally {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> replaced{0};
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint64_t> time_ns{0};
  };

  void share(Advice* advice) const;
  Kept keep_for(MPI_Comm comm) const;
  Team& team_for(const Rule& rule, Kept& kept, MPI_Comm comm) const;
  TeamOptions options(int leaders) const;
  static void report();

  Advice advice_;
  std::array<std::uint64_t, kOperations.size()> least_bytes_;
  std::array<Tally, kOperations.size()> tallies_;
  bool reports_ = false;
  bool crowded_ = false;  // all ranks together, whatever communicator waits

  Job() { least_bytes_.fill(~std::uint64_t{0}); }
};

}  // namespace nmt::collectives
