// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/mixed_mpis.h"

#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "collectives/mpi/library/running_mpi.h"
#include "core/launcher.h"

namespace nmt::collectives {
namespace {

#define NMT_TEXT_OF(value) #value
#define NMT_TEXT(value) NMT_TEXT_OF(value)
#ifdef OPEN_MPI
constexpr bool kForOpenMpi = true;
constexpr const char* kBuiltFor = "Open MPI " NMT_TEXT(OMPI_MAJOR_VERSION) "." NMT_TEXT(
    OMPI_MINOR_VERSION) "." NMT_TEXT(OMPI_RELEASE_VERSION);
#else
constexpr bool kForOpenMpi = false;
constexpr const char* kBuiltFor = "MPICH " MPICH_VERSION;
#endif
// The launcher ends the others as soon as one has ended.
constexpr std::chrono::seconds kUntilTold{1};

bool is_first_launched() {
  const auto launcher = launcher_of_several();
  return !launcher || launcher->rank == 0;
}

}  // namespace

// MPIs that share MPICH's ABI go by names of their own.
void end_under_another_mpi() noexcept {
  const std::string running = mpi_name();
  const bool is_open_mpi = running.find("Open MPI") != std::string::npos ||
                           running.find("Spectrum MPI") != std::string::npos;
  if (is_open_mpi == kForOpenMpi) return;
  if (is_first_launched()) {
    std::fprintf(stderr,
                 "nmadtune: this libnmadtune-mpi.so is built for %s, and the program runs %s; "
                 "preload the one in the folder nmadtune/%s\n",
                 kBuiltFor, running.c_str(), is_open_mpi ? "openmpi" : "mpich");
  } else {
    std::this_thread::sleep_for(kUntilTold);
  }
  ::_exit(1);
}

std::string why_alone() {
  const auto launcher = launcher_of_several();
  if (!launcher || launcher->rank != 0) return {};
  return with_version(*launcher) + " launched " + std::to_string(launcher->ranks) +
         " ranks, but for the program's MPI, " + mpi_name() +
         ", each of them is a job of its own; launch it with the launcher of that MPI and version";
}

}  // namespace nmt::collectives
