// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank of another stack's job sends its messages by, as the process itself shows: the files
// that it has mapped and the devices that it has open.
#pragma once

#include <filesystem>
#include <string>

#include "stacks/stacks.h"

namespace nmt {

struct LoadedStack {
  std::string library_file;  // the MPI's own; empty where it is not one that we know
  std::string messages_by;   // Open MPI's component for messages where that is not its own: "ucx"
  Transport network = Transport::kTcp;  // verbs where a device of theirs is open
};

// Once the MPI is initialised; `process` has the kernel's files about it.
LoadedStack loaded_stack(const std::filesystem::path& process = "/proc/self");

}  // namespace nmt
