// SPDX-License-Identifier: BSD-3-Clause
//
// Runs collectives of libnmadtune-mpi.so, the one in the folder of the module for the MPI that
// launched this process (collectives/collectives.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/collectives.h"
#include "control/control.h"
#include "sampler/sampler.h"

namespace nmt::tools {

// Of --operations: those of the list, all that are known for an empty one. Error(kUsage) for any
// other.
std::vector<std::string> operations_from(const std::string& list,
                                         const std::vector<std::string>& known);

class CollectivesLibrary {
 public:
  // Error(kFailed) if there is no such library.
  explicit CollectivesLibrary(const control::MpiJob& job);

  // Called by these ranks of the job: those that run collectives from now on. Error(kFailed)
  void play_within(std::span<const int> ranks);
  // In the form of CollectivesOptions; all are for all ranks, or those of play_within(). After
  // play_within(), the root of each call is any of these ranks, by chance, the same on all ranks;
  // else it is rank 0.
  decltype(sampler::CollectivesOptions::run) collective_runner() const;
  std::vector<std::int64_t> other_leaders() const;  // Error(kFailed)
  // By operation, the MPI's algorithms that can be set in this job ("library:ring").
  decltype(sampler::CollectivesOptions::library_algorithms) library_algorithms(
      std::span<const std::string> operations) const;  // Error(kFailed)

 private:
  std::uint32_t roots_ = 1;  // the root is one of the first so many ranks
  decltype(&nmt_play_collective) play_;
  decltype(&nmt_play_within) within_;
  decltype(&nmt_collective_leaders) leaders_;
  decltype(&nmt_collective_algorithms) algorithms_;
};

}  // namespace nmt::tools
