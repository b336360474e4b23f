// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of the group "exports", each about one claim of what is exported to other stacks.
#pragma once

#include <string>

namespace nmt::bench {

// Open MPI over rails of so many Mbit/s: the exported file against its defaults, of which it should
// be `goal` times as fast.
void weighted_rails(unsigned first, unsigned second, double goal);
void effects();  // where each exported setting moves what it is about
// Thresholds of a stack in jobs of an MPI over rails of so many Mbit/s ("1000 600"), against forced
// sweeps and defaults.
void limits(const std::string& stack, const std::string& mpi, const std::string& rails);
void collective_rules();  // of Open MPI, four hosts of four ranks
void mpich_rules();       // of MPICH, likewise
void accepted_rules();  // what Debian's Open MPI says of a rules file, and our reader of a bad one

}  // namespace nmt::bench
