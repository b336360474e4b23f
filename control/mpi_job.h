// SPDX-License-Identifier: BSD-3-Clause
//
// A job that an MPI launched: how its processes meet and talk where no secret and no port is
// needed, since mpirun has brought them together.
//
// This process links no MPI. The module of the MPI that launched it is loaded from
// LIBDIR/nmadtune/NAME/nmadtune-mpi.so; both MPIs may be installed at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/mpi/table.h"

namespace nmt::control {

inline constexpr std::string_view kOpenMpi = "openmpi";
inline constexpr std::string_view kMpich = "mpich";

// The MPI that launched this process, by what it has left in the environment; nullopt where none
// did. Launchers of others that speak one of their protocols count as that one.
std::optional<std::string> launching_mpi();

// Of a process there is one; the MPI itself ends with the process, by exit().
class MpiJob {
 public:
  // Joins the job. Error(kUsage) for an unknown name; Error(kFailed), which says what to install,
  // where there is no module for it.
  explicit MpiJob(const std::string& name);
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  int rank() const { return table_->rank(); }
  int size() const { return table_->size(); }
  bool leads() const { return rank() == 0; }
  std::string library() const { return table_->library(); }  // "Open MPI v4.1.4"
  std::vector<int> nodes() const;  // of each rank: the lowest rank of its node

  // Everything else is the table's own.
  const nmt_mpi_table& mpi() const { return *table_; }

  // What rank 0 has, to all; what all have, to rank 0 (empty elsewhere).
  void broadcast(std::string& text) const;
  std::vector<std::string> gather(const std::string& text) const;
  std::vector<std::string> to_all(const std::string& text) const;  // what all have, to all

 private:
  const nmt_mpi_table* table_ = nullptr;
};

}  // namespace nmt::control
