// SPDX-License-Identifier: BSD-3-Clause
//
// What this machine is, as named fields: a profile measured under other fields is another
// platform's.
//
// Cheap fields come from files under /proc and /sys and are what opening a profile compares. Full
// fields add the topology by hwloc (some milliseconds) and versions of MPI and verbs libraries,
// for sampling. `root` is prefixed to /proc and /sys, so that tests run on captured descriptions.
#pragma once

#include <string>

#include "core/fields.h"
#include "core/rail.h"

namespace nmt {

// cpu_model, cores, microcode?, memory page size, kernel, libc, hypervisor ...
Fields cheap_fingerprint(const std::string& root = "");

// cheap_fingerprint() plus packages, numa_nodes, l1d/l2/l3 sizes and sharing, MPI and verbs
// versions. Every name of the cheap one keeps its value.
Fields full_fingerprint();

// For people: "AMD EPYC, 2 cores, Linux 6.18".
std::string platform_name(const Fields& fingerprint);

std::string host_name();

}  // namespace nmt
