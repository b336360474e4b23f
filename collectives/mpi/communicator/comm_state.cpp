// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/communicator/comm_state.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace nmt::collectives {
namespace {

struct CommStates {
  std::mutex mutex;
  int at_communicator = MPI_KEYVAL_INVALID;
  int at_self = MPI_KEYVAL_INVALID;
  std::atomic<bool> has_keys = false;
  std::vector<std::unique_ptr<CommState>> all;
  HierarchyCache cache;
  std::vector<void (*)()> at_end;
  std::atomic<unsigned> freed = 0;  // how many were freed
};

CommStates& comm_states() {
  static auto* const comm_states = new CommStates;  // MPI may end after everything else
  return *comm_states;
}

void give_back(CommState& comm_state) noexcept {
  for (auto& [leaders, lease] : comm_state.by_leaders)
    comm_states().cache.give_back(std::move(lease));
  for (auto& [library, shadow] : comm_state.shadows) free_shadow(shadow);
}

int forget(MPI_Comm comm, int, void* comm_state, void*) noexcept {
  std::unique_ptr<CommState> gone;
  {
    const std::lock_guard lock(comm_states().mutex);
    comm_states().freed.fetch_add(1);
    for (std::unique_ptr<CommState>& each : comm_states().all) {
      if (each.get() == comm_state) std::swap(each, gone);
    }
    std::erase(comm_states().all, nullptr);
  }
  comm_states().cache.end_absences(comm);
  if (gone) give_back(*gone);
  return MPI_SUCCESS;
}

// MPI_Finalize deletes the attributes of MPI_COMM_SELF first.
int end(MPI_Comm, int, void*, void*) noexcept {
  for (void (*what)() : comm_states().at_end) what();
  for (const std::unique_ptr<CommState>& each : comm_states().all) give_back(*each);
  for (const std::unique_ptr<CommState>& each : comm_states().all) *each = {};
  comm_states().cache.clear();
  return MPI_SUCCESS;
}

void make_keys() {
  if (comm_states().has_keys.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(comm_states().mutex);
  if (comm_states().has_keys) return;
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &comm_states().at_communicator,
                                nullptr));
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &comm_states().at_self, nullptr));
  check(PMPI_Comm_set_attr(MPI_COMM_SELF, comm_states().at_self, nullptr));
  comm_states().has_keys = true;
}

CommState& find_or_make(MPI_Comm comm, const std::function<CommState(MPI_Comm)>& make) {
  make_keys();
  void* comm_state = nullptr;
  int there = 0;
  check(PMPI_Comm_get_attr(comm, comm_states().at_communicator, &comm_state, &there));
  if (there) return *static_cast<CommState*>(comm_state);
  auto made = std::make_unique<CommState>(make(comm));
  CommState& result = *made;
  {
    const std::lock_guard lock(comm_states().mutex);
    comm_states().all.push_back(std::move(made));
  }
  check(PMPI_Comm_set_attr(comm, comm_states().at_communicator, &result));
  return result;
}

}  // namespace

// Programs use a few communicators again and again; each thread remembers these. After a
// communicator was freed, its handle may come again for another one.
CommState& comm_state_for(MPI_Comm comm, const std::function<CommState(MPI_Comm)>& make) {
  struct Seen {
    MPI_Comm comm = MPI_COMM_NULL;
    CommState* comm_state = nullptr;
    unsigned freed = 0;
  };
  constexpr int kSeenBits = 4;
  thread_local std::array<Seen, 1 << kSeenBits> all;
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15u;  // handles may be addresses
  const std::uint64_t hash = std::hash<MPI_Comm>{}(comm);
  Seen& seen = all[hash * kSpread >> (64 - kSeenBits)];
  const unsigned freed = comm_states().freed.load(std::memory_order_acquire);
  if (seen.comm != comm || seen.freed != freed) {
    seen = {.comm = comm, .comm_state = &find_or_make(comm, make), .freed = freed};
  }
  return *seen.comm_state;
}

HierarchyCache& hierarchy_cache() { return comm_states().cache; }

void call_at_end(void (*what)()) {
  make_keys();
  comm_states().at_end.push_back(what);
}

}  // namespace nmt::collectives
