// SPDX-License-Identifier: BSD-3-Clause
//
// Teams whose communicators were freed, kept for the next communicator of the same ranks in the
// same order: programs make communicators and free them all the time, and a team is dear (a private
// communicator, shared memory, sockets, tries to read each other's memory).
//
// Which team it is, and whether there is one, all ranks of the new communicator agree on in one
// exchange. A few idle teams of a process are kept; the ones that were idle longest go first. Any
// thread may take and give back, for communicators of their own.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "collectives/mpi/alarm.h"
#include "collectives/mpi/team.h"

namespace nmt::collectives {

// A team in use; null: none.
struct Lease {
  std::unique_ptr<Team> team = nullptr;
  std::unique_ptr<Watch> watch = nullptr;
  std::vector<int> ranks = {};  // of the job, by rank of the communicator
  int leaders = 1;
  std::int64_t serial = 0;  // of all teams of these ranks in this order, another each
  bool asks = false;        // a rank of the communicator has a device (device_memory.h)
  bool spoiled = false;     // an operation failed: its ranks may be apart

  explicit operator bool() const { return team != nullptr; }
};

class TeamCache {
 public:
  // By all ranks of `comm`, whose cards these are and which in the job have these numbers. Null, on
  // all of them, where one has too many teams in use. MpiFailure.
  Lease take(MPI_Comm comm, const std::vector<int>& ranks, const std::vector<Card>& cards,
             const TeamOptions& options);
  // By each rank, when its communicator is freed.
  void give_back(Lease lease) noexcept;
  void clear() noexcept;  // what is idle

 private:
  Lease find(const std::vector<int>& ranks, int leaders);

  std::mutex mutex_;
  std::list<Lease> idle_;  // the longest first
  int in_use_ = 0;
  std::int64_t made_ = 0;
};

}  // namespace nmt::collectives
