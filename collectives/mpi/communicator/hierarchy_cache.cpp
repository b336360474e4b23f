// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/communicator/hierarchy_cache.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

#include "collectives/device_memory.h"

namespace nmt::collectives {
namespace {

constexpr int kInUseMax = 256;  // at a time: MPICH has about 2000 communicators for all
constexpr std::size_t kIdleMax = 16;
constexpr std::int64_t kNone = -1;
constexpr std::chrono::seconds kUntilOthersHaveTakenPart{1};

// The numbers that all ranks of a communicator exchange; the minimum of each counts.
enum { kOffer, kMinusOffer, kFresh, kHasPlace, kMinusCopies, kNoDevices, kMinusErrorClass, kCount };
using Numbers = std::array<std::int64_t, kCount>;

void start_exchange(Numbers* numbers, MPI_Comm comm, MPI_Request* request) {
  check(
      PMPI_Iallreduce(MPI_IN_PLACE, numbers->data(), kCount, MPI_INT64_T, MPI_MIN, comm, request));
}

}  // namespace

struct HierarchyCache::Absence {
  MPI_Comm comm = MPI_COMM_NULL;
  Numbers numbers{};
  MPI_Request request = MPI_REQUEST_NULL;

  bool has_ended() {
    int done = 0;
    return PMPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
  }
};

HierarchyCache::HierarchyCache() = default;
HierarchyCache::~HierarchyCache() = default;

// The oldest one of these ranks: the others find the same one, unless it is still in use there.
Lease HierarchyCache::find(const std::vector<int>& ranks, int leaders) {
  const auto found = std::ranges::find_if(
      idle_, [&](const Lease& each) { return each.leaders == leaders && each.ranks == ranks; });
  if (found == idle_.end()) return {};
  Lease lease = std::move(*found);
  idle_.erase(found);
  return lease;
}

Lease HierarchyCache::take(MPI_Comm comm, const std::vector<int>& ranks,
                           const std::vector<RankLocation>& locations,
                           const HierarchyOptions& options) {
  constexpr std::int64_t kMany = std::numeric_limits<std::int64_t>::max();
  Numbers numbers{};
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank));
  Lease lease;
  forget_ended_absences();
  {
    const std::lock_guard lock(mutex_);
    lease = find(ranks, options.leaders);
    numbers[kFresh] = rank == 0 ? made_++ : kMany;  // rank 0 numbers the hierarchies of these ranks
    numbers[kHasPlace] = in_use_ < kInUseMax;
    ++in_use_;  // before another thread asks
  }
  numbers[kOffer] = lease ? lease.serial : kNone;
  numbers[kMinusOffer] = -numbers[kOffer];
  numbers[kMinusCopies] = -static_cast<std::int64_t>(options.copies);
  numbers[kNoDevices] = has_device_runtime() ? 0 : 1;
  try {
    MPI_Request request = MPI_REQUEST_NULL;
    start_exchange(&numbers, comm, &request);
    check(PMPI_Wait(&request, MPI_STATUS_IGNORE));
    const bool all_have_place = numbers[kHasPlace] != 0;
    const auto copies = static_cast<CopyMethod>(-numbers[kMinusCopies]);
    const bool offered_by_all =
        lease && numbers[kOffer] == -numbers[kMinusOffer] && lease.hierarchy->copies() == copies;
    if (!all_have_place) {
      if (offered_by_all) put_back(std::move(lease));
      lease = {};
    } else if (!offered_by_all) {
      HierarchyOptions agreed = options;
      agreed.copies = copies;
      lease = {};
      lease.hierarchy = std::make_unique<NodeHierarchy>(comm, agreed, locations);
      lease.ranks = ranks;
      lease.leaders = options.leaders;
      lease.serial = numbers[kFresh];
    }
    if (numbers[kMinusErrorClass] != 0) {
      throw FailedElsewhere{static_cast<int>(-numbers[kMinusErrorClass])};
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    --in_use_;
    throw;
  }
  if (!lease) {
    const std::lock_guard lock(mutex_);
    --in_use_;
  }
  lease.asks = numbers[kNoDevices] == 0;
  return lease;
}

void HierarchyCache::put_back(Lease lease) {
  const std::lock_guard lock(mutex_);
  idle_.push_front(std::move(lease));
}

// Reports no free place, so that the others neither use a hierarchy nor make one.
void HierarchyCache::stay_away(MPI_Comm comm, int error_code) noexcept {
  int error_class = MPI_ERR_OTHER;
  PMPI_Error_class(error_code, &error_class);
  try {
    forget_ended_absences();
    std::list<Absence> one(1);
    one.front().comm = comm;
    one.front().numbers[kMinusErrorClass] = -error_class;
    start_exchange(&one.front().numbers, comm, &one.front().request);
    const std::lock_guard lock(mutex_);
    absences_.splice(absences_.end(), one);
  } catch (...) {  // the others wait, as they would without this
  }
}

// Tests without the lock: if a request is the last use of a freed communicator, MPICH calls back
// here.
void HierarchyCache::forget_ended_absences() {
  std::list<Absence> absences;
  {
    const std::lock_guard lock(mutex_);
    absences.swap(absences_);
  }
  std::erase_if(absences, [](Absence& each) { return each.has_ended(); });
  const std::lock_guard lock(mutex_);
  absences_.splice(absences_.end(), absences);
}

void HierarchyCache::end_absences(MPI_Comm comm) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (absences_.empty()) return;
  }
  const auto end = std::chrono::steady_clock::now() + kUntilOthersHaveTakenPart;
  const auto concerns = [&](const Absence& each) { return each.comm == comm; };
  while (std::chrono::steady_clock::now() < end) {
    forget_ended_absences();
    {
      const std::lock_guard lock(mutex_);
      if (std::ranges::none_of(absences_, concerns)) return;
    }
    ::sched_yield();
  }
}

// Destroys without the lock. Freeing a communicator is local in the existing MPIs: it may happen at
// different times on different ranks.
void HierarchyCache::give_back(Lease lease) noexcept {
  std::list<Lease> gone;
  if (!lease) return;
  try {
    std::list<Lease> one;
    one.push_back(std::move(lease));
    const std::lock_guard lock(mutex_);
    --in_use_;
    auto& to = one.front().spoiled ? gone : idle_;
    to.splice(to.end(), one);
    if (idle_.size() > kIdleMax) gone.splice(gone.end(), idle_, idle_.begin());
  } catch (...) {  // no memory: the hierarchy is dropped
  }
}

void HierarchyCache::clear() noexcept {
  std::list<Lease> gone;
  const std::lock_guard lock(mutex_);
  gone.swap(idle_);
}

}  // namespace nmt::collectives
