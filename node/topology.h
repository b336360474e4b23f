// SPDX-License-Identifier: BSD-3-Clause
//
// The machine's parts as hwloc reports them, as fields of a fingerprint: packages, physical_cores,
// numa_nodes, and one field per level of data cache ("l2_cache": "8 x 1 MiB, 1 core each").
#pragma once

#include <string>

#include "core/fields.h"

namespace nmt::node {

// Of this machine, including cores that this process may not use; or of another machine in hwloc's
// synthetic form ("package:2 l3:1 core:4 pu:2"). Empty if hwloc fails.
Fields topology_fields(const std::string& synthetic = "");

}  // namespace nmt::node
