// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/teams.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace nmt::collectives {
namespace {

struct Teams {
  std::mutex mutex;
  int at_communicator = MPI_KEYVAL_INVALID;
  int at_self = MPI_KEYVAL_INVALID;
  std::vector<std::unique_ptr<Kept>> all;
  std::vector<void (*)()> at_end;
  std::atomic<unsigned> freed = 0;  // so often
};

Teams& teams() {
  static auto* const teams = new Teams;  // MPI may end after everything else
  return *teams;
}

int forget(MPI_Comm, int, void* kept, void*) {
  std::unique_ptr<Kept> gone;  // freed without the lock
  const std::lock_guard lock(teams().mutex);
  teams().freed.fetch_add(1);
  for (std::unique_ptr<Kept>& each : teams().all) {
    if (each.get() == kept) std::swap(each, gone);
  }
  std::erase(teams().all, nullptr);
  return MPI_SUCCESS;
}

// MPI_Finalize deletes what is at MPI_COMM_SELF first.
int end(MPI_Comm, int, void*, void*) {
  for (void (*what)() : teams().at_end) what();
  for (const std::unique_ptr<Kept>& each : teams().all) each->team.reset();
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

// Programs ask for the same one again and again. A handle may come again for another communicator
// once one was freed.
Kept& kept_for(MPI_Comm comm, const std::function<Kept(MPI_Comm)>& make) {
  thread_local MPI_Comm last = MPI_COMM_NULL;
  thread_local Kept* of_last = nullptr;
  thread_local unsigned freed = 0;
  const unsigned freed_now = teams().freed.load(std::memory_order_acquire);
  if (comm == last && freed == freed_now) return *of_last;
  of_last = &find_or_make(comm, make);
  last = comm;
  freed = freed_now;
  return *of_last;
}

void call_at_end(void (*what)()) {
  make_keys();
  teams().at_end.push_back(what);
}

}  // namespace nmt::collectives
