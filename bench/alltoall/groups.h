// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of the group "alltoall", each printing its rows; see scripts/bench.
#pragma once

namespace nmt::bench {

void planted_signatures();  // thousands of networks whose signature is known
void fit_time();            // how long fitting ten thousand times takes
void answer_time();         // how long a prediction takes a running program
void ten_hosts();           // predictions of what real MPIs do on a switch with small queues

}  // namespace nmt::bench
