// SPDX-License-Identifier: BSD-3-Clause
//
// What this machine is, as named fields. A profile measured under other fields belongs to another
// platform.
//
// Cheap fields come from files under /proc and /sys; opening a profile compares them. Full fields
// add the topology by hwloc (some milliseconds) and versions of MPI and verbs libraries, for
// sampling. A fact that the machine does not report is an absent field. `root` is prefixed to /proc
// and /sys, so that tests run on captured descriptions. Facts that no file contains (libc,
// architecture, page size) are reported for this machine only.
#pragma once

#include <string>

#include "core/fields.h"

namespace nmt::node {

// cpu_model, cpu_id, cores, numa_nodes, smt, cpu_governor, hypervisor, machine, kernel,
// huge_pages; libc, architecture, page_size_bytes.
Fields cheap_fingerprint(const std::string& root = "");

// Of these, what nodes must have in common so that what was measured of collectives on some of them
// is true of others. Not kernel and libc, since patch releases seldom change speeds, and not
// numa_nodes, since the ranks of a job agree on leaders where nodes differ in that.
Fields fingerprint_for_collectives(const std::string& root = "");

// cheap_fingerprint() plus packages, physical_cores, l1d_cache, l2_cache, l3_cache, open_mpi,
// mpich, libibverbs ... Fields of cheap_fingerprint() keep their value.
Fields full_fingerprint();

// For people: "AMD EPYC, 2 cores, Linux 6.18".
std::string platform_name(const Fields& fingerprint);

std::string host_name();

}  // namespace nmt::node
