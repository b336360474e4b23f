// SPDX-License-Identifier: BSD-3-Clause
//
// Versions of the communication libraries that a program started here would load.
//
// A forked child loads each candidate by the dynamic loader, which alone knows its search path. So
// nothing of a foreign library stays in this process, and a library that crashes or hangs while it
// is loaded counts as absent. An MPI reports its own version (MPI_Get_library_version, legal before
// MPI_Init). The version of other libraries is in their file name.
#pragma once

#include <optional>
#include <string>

#include "core/fields.h"

namespace nmt::node {

// open_mpi, mpich, intel_mpi, mvapich or mpi, and libibverbs; each only if it is installed.
Fields library_versions();

struct LibraryVersion {
  std::string library;
  std::string version;
  bool operator==(const LibraryVersion&) const = default;
};
std::optional<LibraryVersion> library_version(const std::string& file);

// "Open MPI v4.1.4, package: ..." -> open_mpi 4.1.4.
LibraryVersion parse_mpi_version(const std::string& text);

}  // namespace nmt::node
