// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/teams.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

namespace nmt::collectives {
namespace {

// All that there are. Several threads may build some at the same time, of several communicators.
struct Teams {
  std::mutex mutex;
  int at_communicator = MPI_KEYVAL_INVALID;
  int at_self = MPI_KEYVAL_INVALID;
  std::vector<std::unique_ptr<Team>> all;
};

Teams& teams() {
  static auto* const teams = new Teams;  // MPI may end after everything else
  return *teams;
}

int forget(MPI_Comm, int, void* team, void*) {
  std::unique_ptr<Team> gone;  // freed without the lock
  const std::lock_guard lock(teams().mutex);
  for (std::unique_ptr<Team>& each : teams().all) {
    if (each.get() == team) std::swap(each, gone);
  }
  std::erase(teams().all, nullptr);
  return MPI_SUCCESS;
}

// MPI_Finalize deletes what is at MPI_COMM_SELF first, while everything still works; in the order
// of their making, in which all ranks made those that they share.
int forget_all(MPI_Comm, int, void*, void*) {
  for (std::unique_ptr<Team>& each : teams().all) each.reset();
  return MPI_SUCCESS;
}

void make_keys() {
  const std::lock_guard lock(teams().mutex);
  if (teams().at_self != MPI_KEYVAL_INVALID) return;
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &teams().at_communicator, nullptr));
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_all, &teams().at_self, nullptr));
  check(PMPI_Comm_set_attr(MPI_COMM_SELF, teams().at_self, nullptr));
}

}  // namespace

Team& team_of(MPI_Comm comm, const TeamOptions& options) {
  make_keys();
  void* team = nullptr;
  int there = 0;
  check(PMPI_Comm_get_attr(comm, teams().at_communicator, &team, &there));
  if (there) return *static_cast<Team*>(team);
  auto made = std::make_unique<Team>(comm, options);
  Team& result = *made;
  {
    const std::lock_guard lock(teams().mutex);
    teams().all.push_back(std::move(made));
  }
  check(PMPI_Comm_set_attr(comm, teams().at_communicator, &result));
  return result;
}

}  // namespace nmt::collectives
