// SPDX-License-Identifier: BSD-3-Clause
#include "core/launcher.h"

#include <cstdlib>

namespace nmt {
namespace {

struct Variables {
  std::string_view launcher;
  const char* rank;
  const char* ranks;
};
constexpr Variables kVariables[] = {
    {"Open MPI's mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MPICH's mpiexec", "PMI_RANK", "PMI_SIZE"}};

}  // namespace

std::optional<JobLauncher> launcher_of_several() {
  std::optional<JobLauncher> found;
  for (const Variables& each : kVariables) {
    const char* const ranks = std::getenv(each.ranks);
    if (ranks == nullptr) continue;
    const char* const rank = std::getenv(each.rank);
    found = {each.launcher, rank != nullptr ? std::atoi(rank) : 0, std::atoi(ranks)};
    if (found->ranks <= 1) return std::nullopt;
  }
  return found;
}

}  // namespace nmt
