// SPDX-License-Identifier: BSD-3-Clause
//
// A control variable of the MPI (MPI_T) that is an integer or a flag.
#pragma once

#include <mpi.h>

#include <map>
#include <optional>
#include <string>

namespace nmt::collectives {

class ControlVariable {
 public:
  // Stands for nothing if the MPI has no such variable.
  explicit ControlVariable(const std::string& name);
  ~ControlVariable();
  ControlVariable(const ControlVariable&) = delete;
  ControlVariable& operator=(const ControlVariable&) = delete;

  std::optional<int> read() const;
  // False if the MPI does not let it be set.
  bool write(int value) const;

  // The names that the MPI has for its values: those of its enumeration, or, where it has none,
  // each "NAME - meaning" in its description, counted from 0. (MPICH makes the numbers from these
  // very texts.)
  const std::map<int, std::string>& names() const { return names_; }

 private:
  MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
  std::map<int, std::string> names_;
};

}  // namespace nmt::collectives
