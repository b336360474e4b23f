// SPDX-License-Identifier: BSD-3-Clause
//
// Versions of other software: numbers with dots between them.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

// The first one in a text: "Open MPI v4.1.4", "mpirun (Open MPI) 4.1.4", "MPICH Version: 4.0.2" ->
// "4.1.4", "4.1.4", "4.0.2"; empty if there is none.
std::string version_in(std::string_view text);
// True for "4.1.8" and "4.1.10": compares numbers.
bool older(std::string_view version, std::string_view other);

}  // namespace nmt
