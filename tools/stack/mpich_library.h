// SPDX-License-Identifier: BSD-3-Clause
//
// The MPICH that is installed, as a file: the tables for collectives that it has built in.
#pragma once

#include <string>
#include <vector>

#include "stacks/stacks.h"

namespace nmt {

// Error(kFailed), which says why, where the file is not here or holds no tables that can be read.
MpichTables read_mpich_tables(const std::string& library_file);

// Of the MPICH that programs of this machine are linked with; empty where there is none.
std::vector<std::string> known_mpich_algorithms();

}  // namespace nmt
