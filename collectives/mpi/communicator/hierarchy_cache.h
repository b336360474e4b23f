// SPDX-License-Identifier: BSD-3-Clause
//
// Hierarchies whose communicators were freed, kept for the next communicator of the same ranks in
// the same order. Programs make and free communicators all the time, and a hierarchy is expensive
// (a private communicator, shared memory, sockets, attempts to read each other's memory).
//
// In one exchange, all ranks of the new communicator agree on a hierarchy, or that there is none. A
// process keeps a few idle hierarchies and drops the longest idle ones first. Any thread may call
// take() and give_back(), for its own communicators.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "collectives/mpi/hierarchy/failure_notifier.h"
#include "collectives/mpi/hierarchy/node_hierarchy.h"

namespace nmt::collectives {

// A hierarchy in use; null: none.
struct Lease {
  std::unique_ptr<NodeHierarchy> hierarchy = nullptr;
  std::unique_ptr<FailureWatch> watch = nullptr;
  std::vector<int> ranks = {};  // in the job, by rank of the communicator
  int leaders = 1;
  std::int64_t serial = 0;  // unique among all hierarchies of these ranks in this order
  bool asks = false;        // a rank of the communicator has a device runtime (device_memory.h)
  bool spoiled = false;     // an operation failed: ranks may be in different calls

  explicit operator bool() const { return hierarchy != nullptr; }
};

class HierarchyCache {
 public:
  HierarchyCache();
  ~HierarchyCache();

  // Called by all ranks of `comm`, with their ranks in the job and their locations. Null on all of
  // them if one has too many hierarchies in use. MpiFailure. FailedElsewhere on all ranks in take()
  // if one rank stays away.
  Lease take(MPI_Comm comm, const std::vector<int>& ranks,
             const std::vector<RankLocation>& locations, const HierarchyOptions& options);
  // For a rank whose call is wrong in a way that hides whether the others take a hierarchy for it.
  // It takes part in the exchange that they would wait for, without waiting itself.
  void stay_away(MPI_Comm comm, int error_code) noexcept;
  // Called before `comm` is freed, by a rank that may have stayed away from it: Open MPI may use it
  // until the others have taken part. Waits at most a second.
  void end_absences(MPI_Comm comm) noexcept;
  // Called by each rank when its communicator is freed.
  void give_back(Lease lease) noexcept;
  void clear() noexcept;  // drops idle hierarchies

 private:
  struct Absence;  // of this rank from an exchange, until the others have taken part

  Lease find(const std::vector<int>& ranks, int leaders);
  void put_back(Lease lease);
  void forget_ended_absences();

  std::mutex mutex_;
  std::list<Absence> absences_;
  std::list<Lease> idle_;  // longest idle first
  int in_use_ = 0;
  std::int64_t made_ = 0;
};

}  // namespace nmt::collectives
