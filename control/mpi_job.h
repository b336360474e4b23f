// SPDX-License-Identifier: BSD-3-Clause
//
// A job that an MPI launched: its processes need no secret and no port, because mpirun has
// connected them.
//
// This process links no MPI. It loads the module of the MPI that launched it from
// LIBDIR/nmadtune/NAME/nmadtune-mpi.so. Both MPIs may be installed at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/gather.h"
#include "control/mpi/table.h"

namespace nmt::control {

inline constexpr std::string_view kOpenMpi = "openmpi";
inline constexpr std::string_view kMpich = "mpich";

// The MPI that launched this process, by what it has left in the environment; nullopt where none
// did. Launchers of others that speak one of their protocols count as that one: srun --mpi=pmix and
// prterun as Open MPI, srun --mpi=pmi2 as MPICH.
std::optional<std::string> launching_mpi();
// Whether this process is one of several tasks that Slurm's srun launched without any of these
// protocols: each of them would take itself for a command of its own.
bool is_task_without_mpi();

// One per process. The MPI is finalized when the process exits.
class MpiJob {
 public:
  // Joins the job. Error(kUsage) for an unknown name, if the launcher's job is not this MPI's, or
  // if ranks run different versions of it.
  // Error(kFailed) if there is no module for it; the message says what to install.
  explicit MpiJob(const std::string& name);
  // A job whose owner joined it and leaves it, such as a virtual one.
  explicit MpiJob(const nmt_mpi_table& joined) : table_(&joined), leaves_(false) {}
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  int rank() const { return table_->rank(); }
  int size() const { return table_->size(); }
  bool leads() const { return rank() == 0; }
  std::string library() const { return table_->library(); }  // "Open MPI v4.1.4"
  std::vector<int> nodes() const;  // of each rank: the lowest rank of its node

  // All other functions are in the table.
  const nmt_mpi_table& mpi() const { return *table_; }

  void broadcast(std::string& text) const;  // of rank 0, to all
  // See control/gather.h.
  std::vector<std::string> gather(const std::string& text) const;
  std::vector<std::string> to_all(const std::string& text) const;
  void collect(std::span<const int> ranks, const std::string& text, const TakeText& take) const;

 private:
  void refuse_mixed_versions() const;

  const nmt_mpi_table* table_ = nullptr;
  bool leaves_ = true;
};

// While it lives, the job is only these of its ranks, renumbered in this order. Made by these ranks
// only; the others may wait for a broadcast of rank 0, asleep, which must be the first of `ranks`.
class JobPart {
 public:
  JobPart(const MpiJob& job, std::span<const int> ranks);
  ~JobPart();
  JobPart(const JobPart&) = delete;
  JobPart& operator=(const JobPart&) = delete;

 private:
  const MpiJob& job_;
};

}  // namespace nmt::control
