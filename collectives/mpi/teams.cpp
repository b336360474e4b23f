// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/teams.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace nmt::collectives {
namespace {

struct Teams {
  std::mutex mutex;
  int at_communicator = MPI_KEYVAL_INVALID;
  int at_self = MPI_KEYVAL_INVALID;
  std::vector<std::unique_ptr<Kept>> all;
  TeamCache cache;
  std::vector<void (*)()> at_end;
  std::atomic<unsigned> freed = 0;  // so often
};

Teams& teams() {
  static auto* const teams = new Teams;  // MPI may end after everything else
  return *teams;
}

void give_back(Kept& kept) noexcept {
  for (auto& [leaders, lease] : kept.by_leaders) teams().cache.give_back(std::move(lease));
}

int forget(MPI_Comm comm, int, void* kept, void*) noexcept {
  std::unique_ptr<Kept> gone;
  {
    const std::lock_guard lock(teams().mutex);
    teams().freed.fetch_add(1);
    for (std::unique_ptr<Kept>& each : teams().all) {
      if (each.get() == kept) std::swap(each, gone);
    }
    std::erase(teams().all, nullptr);
  }
  teams().cache.end_absences(comm);
  if (gone) give_back(*gone);
  return MPI_SUCCESS;
}

// MPI_Finalize deletes what is at MPI_COMM_SELF first.
int end(MPI_Comm, int, void*, void*) noexcept {
  for (void (*what)() : teams().at_end) what();
  for (const std::unique_ptr<Kept>& each : teams().all) give_back(*each);
  for (const std::unique_ptr<Kept>& each : teams().all) *each = {};
  teams().cache.clear();
  return MPI_SUCCESS;
}

void make_keys() {
  const std::lock_guard lock(teams().mutex);
  if (teams().at_self != MPI_KEYVAL_INVALID) return;
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &teams().at_communicator, nullptr));
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &teams().at_self, nullptr));
  check(PMPI_Comm_set_attr(MPI_COMM_SELF, teams().at_self, nullptr));
}

Kept& find_or_make(MPI_Comm comm, const std::function<Kept(MPI_Comm)>& make) {
  make_keys();
  void* kept = nullptr;
  int there = 0;
  check(PMPI_Comm_get_attr(comm, teams().at_communicator, &kept, &there));
  if (there) return *static_cast<Kept*>(kept);
  auto made = std::make_unique<Kept>(make(comm));
  Kept& result = *made;
  {
    const std::lock_guard lock(teams().mutex);
    teams().all.push_back(std::move(made));
  }
  check(PMPI_Comm_set_attr(comm, teams().at_communicator, &result));
  return result;
}

}  // namespace

// Programs ask for a few again and again, which each thread remembers. A handle may come again for
// another communicator once one was freed.
Kept& kept_for(MPI_Comm comm, const std::function<Kept(MPI_Comm)>& make) {
  struct Seen {
    MPI_Comm comm = MPI_COMM_NULL;
    Kept* kept = nullptr;
    unsigned freed = 0;
  };
  constexpr int kSeenBits = 4;
  thread_local std::array<Seen, 1 << kSeenBits> all;
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15u;  // handles may be addresses
  const std::uint64_t hash = std::hash<MPI_Comm>{}(comm);
  Seen& seen = all[hash * kSpread >> (64 - kSeenBits)];
  const unsigned freed = teams().freed.load(std::memory_order_acquire);
  if (seen.comm != comm || seen.freed != freed) {
    seen = {.comm = comm, .kept = &find_or_make(comm, make), .freed = freed};
  }
  return *seen.kept;
}

TeamCache& team_cache() { return teams().cache; }

void call_at_end(void (*what)()) {
  make_keys();
  teams().at_end.push_back(what);
}

}  // namespace nmt::collectives
