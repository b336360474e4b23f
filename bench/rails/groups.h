// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of the group "rails", each about one claim of multi-rail.
#pragma once

namespace nmt::bench {

void rail_shapes();         // adaptive against the optimum, the sum of the rails, and one rail
void beside_a_neighbour();  // the same beside a process that takes half a core
void wrong_profile();       // what a profile that is wrong by 30 % costs
void fallen_rail();         // a rail that becomes half as fast
void beside_ucx();          // the same rails, and shared memory, under UCX
void beside_open_mpi();     // the same rails under Open MPI, as it comes and told the true weights
void busy_rails();          // mixed flows, and when a busy rail will be free
void paper_2007();          // segments, aggregation, greedy, and what polling idle rails costs
void offloaded_chunks();    // eager chunks by other cores
void programmed_io();       // the same, where submitting a chunk occupies a core
void processor_cost();      // against a plain loop of send and receive

}  // namespace nmt::bench
