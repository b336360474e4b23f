// SPDX-License-Identifier: BSD-3-Clause
//
// What this machine is, as named fields: a profile measured under other fields is another
// platform's.
//
// Cheap fields come from files under /proc and /sys and are what opening a profile compares. Full
// fields add the topology by hwloc (some milliseconds) and versions of MPI and verbs libraries,
// for sampling. A fact that the machine does not tell is an absent field. `root` is prefixed to
// /proc and /sys, so that tests run on captured descriptions; what stands in no file (libc,
// architecture, page size) is told for this machine only.
#pragma once

#include <string>

#include "core/fields.h"

namespace nmt {

// cpu_model, cpu_id, cores, numa_nodes, smt, cpu_governor, hypervisor, machine, kernel,
// huge_pages; libc, architecture, page_size_bytes.
Fields cheap_fingerprint(const std::string& root = "");

// cheap_fingerprint() plus packages, physical_cores, l1d_cache, l2_cache, l3_cache, open_mpi,
// mpich, libibverbs ... Every name of the cheap one keeps its value.
Fields full_fingerprint();

// For people: "AMD EPYC, 2 cores, Linux 6.18".
std::string platform_name(const Fields& fingerprint);

std::string host_name();

}  // namespace nmt
