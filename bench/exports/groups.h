// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of the group "exports", each about one claim of what is exported to other stacks.
#pragma once

namespace nmt::bench {

void weighted_rails();    // Open MPI over unequal rails: the exported file against its defaults
void effects();           // where each exported setting moves what it is about
void limits();            // thresholds of each stack, against forced sweeps and defaults
void collective_rules();  // of Open MPI, four hosts of four ranks
void mpich_rules();       // of MPICH, likewise
void accepted_rules();  // what Debian's Open MPI says of a rules file, and our reader of a bad one

}  // namespace nmt::bench
