// SPDX-License-Identifier: BSD-3-Clause
//
// Hierarchies whose communicators were freed, kept for the next communicator of the same ranks in
// the same order: programs make communicators and free them all the time, and a hierarchy is dear
// (a private communicator, shared memory, sockets, tries to read each other's memory).
//
// Which hierarchy it is, and whether there is one, all ranks of the new communicator agree on in
// one exchange. A few idle hierarchies of a process are kept; the ones that were idle longest go
// first. Any thread may take and give back, for communicators of their own.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "collectives/mpi/failure_notifier.h"
#include "collectives/mpi/node_hierarchy.h"

namespace nmt::collectives {

// A hierarchy in use; null: none.
struct Lease {
  std::unique_ptr<NodeHierarchy> hierarchy = nullptr;
  std::unique_ptr<FailureWatch> watch = nullptr;
  std::vector<int> ranks = {};  // of the job, by rank of the communicator
  int leaders = 1;
  std::int64_t serial = 0;  // of all hierarchies of these ranks in this order, another each
  bool asks = false;        // a rank of the communicator has a device (device_memory.h)
  bool spoiled = false;     // an operation failed: its ranks may be apart

  explicit operator bool() const { return hierarchy != nullptr; }
};

class HierarchyCache {
 public:
  HierarchyCache();
  ~HierarchyCache();

  // By all ranks of `comm`, whose locations these are and which in the job have these numbers.
  // Null, on all of them, where one has too many hierarchies in use. MpiFailure. FailedElsewhere,
  // on all of them that take, where one stays away.
  Lease take(MPI_Comm comm, const std::vector<int>& ranks,
             const std::vector<RankLocation>& locations, const HierarchyOptions& options);
  // By a rank whose call is wrong in a way that hides whether the others take a hierarchy for
  // theirs. It takes part in the exchange that they would wait for, and does not wait itself.
  void stay_away(MPI_Comm comm, int error_code) noexcept;
  // Before `comm` is freed, by a rank that may have stayed away from it: Open MPI may use it until
  // the others have taken part. Waits a second at most.
  void end_absences(MPI_Comm comm) noexcept;
  // By each rank, when its communicator is freed.
  void give_back(Lease lease) noexcept;
  void clear() noexcept;  // what is idle

 private:
  struct Absence;  // of this rank from an exchange, until the others have taken part in it

  Lease find(const std::vector<int>& ranks, int leaders);
  void put_back(Lease lease);
  void forget_ended_absences();

  std::mutex mutex_;
  std::list<Absence> absences_;
  std::list<Lease> idle_;  // the longest first
  int in_use_ = 0;
  std::int64_t made_ = 0;
};

}  // namespace nmt::collectives
