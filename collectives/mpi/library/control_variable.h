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
  // If the MPI has no such variable, read() returns nullopt and write() false.
  explicit ControlVariable(const std::string& name);
  ~ControlVariable();
  ControlVariable(const ControlVariable&) = delete;
  ControlVariable& operator=(const ControlVariable&) = delete;

  std::optional<int> read() const;
  // False if the MPI does not let it be set.
  bool write(int value) const;

  // The MPI's names for the values. They are those of the variable's enumeration. If it has no
  // enumeration, they are taken from the texts "NAME - meaning" in its description, counted from 0,
  // because MPICH numbers its values by these texts.
  const std::map<int, std::string>& names() const { return names_; }

 private:
  MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
  std::map<int, std::string> names_;
};

}  // namespace nmt::collectives
