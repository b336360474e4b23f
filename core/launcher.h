// SPDX-License-Identifier: BSD-3-Clause
//
// What the launcher of an MPI job leaves in the environment of each process. If a process belongs
// to another MPI than its launcher, or to another version of it, its MPI takes it for a job of one
// rank, and says nothing: each process then runs the whole program by itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nmt {

struct JobLauncher {
  std::string_view name;  // "Open MPI's mpirun"
  int rank = 0;
  int ranks = 0;
};

// The launcher that counts this process as one of several ranks. nullopt if there is none, or if
// another launcher started this process alone, as in a job within a rank of a job.
std::optional<JobLauncher> launcher_of_several();
inline constexpr std::string_view kMpirun = "Open MPI's mpirun", kMpiexec = "MPICH's mpiexec";

// The same, or srun where it started this process as one of several tasks and no launcher of an MPI
// counts it: whoever runs this command more than once at a time.
inline constexpr std::string_view kSrun = "srun";
std::optional<JobLauncher> starter_of_several();

// Whether a process of this launcher, or its daemon of this node, is above this one.
bool is_below(const JobLauncher& launcher);

// The launcher's name and, where it can be found out, its version: "Open MPI's mpirun 4.1.4",
// "Open MPI's mpirun (PRRTE 3.0.8)". Runs the launcher with --version, if it is an ancestor of this
// process, and waits up to 5 s for its answer. So it is for messages about what went wrong.
std::string with_version(const JobLauncher& launcher);

}  // namespace nmt
