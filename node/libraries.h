// SPDX-License-Identifier: BSD-3-Clause
//
// Versions of the communication libraries that a program started here would get.
//
// Each candidate is loaded by the dynamic loader, which alone knows its search path, in a forked
// child: nothing of a foreign library stays in this process, and one that crashes or hangs while
// it is loaded is only absent. An MPI is asked for its own version (MPI_Get_library_version, legal
// before MPI_Init); others tell it by the name of their file.
#pragma once

#include <optional>
#include <string>

#include "core/fields.h"

namespace nmt {

// open_mpi, mpich, intel_mpi, mvapich or mpi, and libibverbs, where they are installed.
Fields library_versions();

struct LibraryVersion {
  std::string library;
  std::string version;
  bool operator==(const LibraryVersion&) const = default;
};
std::optional<LibraryVersion> library_version(const std::string& file);

// "Open MPI v4.1.4, package: ..." -> open_mpi 4.1.4.
LibraryVersion parse_mpi_version(const std::string& text);

}  // namespace nmt
