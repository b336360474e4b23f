// SPDX-License-Identifier: BSD-3-Clause
//
// The tables for collectives that the installed MPICH has built in, read from its file.
#pragma once

#include <string>
#include <vector>

#include "stacks/stacks.h"

namespace nmt::tools {

// Error(kFailed) with the reason if the file is not here, or has no readable tables.
stacks::MpichTables read_mpich_tables(const std::string& library_file);

// For the MPICH that programs of this machine link; empty if there is none.
std::vector<std::string> known_mpich_algorithms();

}  // namespace nmt::tools
