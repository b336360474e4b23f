// SPDX-License-Identifier: BSD-3-Clause
//
// What is kept for a communicator: made at its first use, an attribute of it, freed with it, or
// when MPI ends. Several threads may ask at the same time, for different communicators.
#pragma once

#include <mpi.h>

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "collectives/advice.h"
#include "collectives/mpi/team.h"

namespace nmt::collectives {

struct Kept {
  std::unique_ptr<Team> team = nullptr;              // null: leave all calls alone
  std::vector<Rule> rules = {};                      // for its shape
  std::map<int, std::unique_ptr<Team>> parted = {};  // of several leaders of a node, by how many
};

// `make` is called by all ranks of the communicator, or by none.
Kept& kept_for(MPI_Comm comm, const std::function<Kept(MPI_Comm)>& make);

// How many have a team now.
int teams_kept();

// Called at the beginning of MPI_Finalize, while everything still works.
void call_at_end(void (*what)());

}  // namespace nmt::collectives
