// SPDX-License-Identifier: BSD-3-Clause
//
// Which library and network a rank of another stack's job uses, according to its process: the files
// that it has mapped and the devices that it has open.
#pragma once

#include <filesystem>
#include <string>

#include "stacks/stacks.h"

namespace nmt::tools {

struct LoadedStack {
  std::string library_file;                             // the MPI's own; empty for an unknown MPI
  stacks::Transport network = stacks::Transport::kTcp;  // verbs if one of their devices is open
};

// Call it after the MPI's initialisation. `process`: the kernel's files about the process.
LoadedStack loaded_stack(const std::filesystem::path& process = "/proc/self");

// Of the UCX that this process has loaded, "1.18.1"; empty where it has none.
std::string loaded_ucx_version();
std::string loaded_libfabric_version();  // "2.1"

}  // namespace nmt::tools
