// SPDX-License-Identifier: BSD-3-Clause
//
// Who is at the other end of a rail while it is sampled.
//
// A real rail: a forked process on another core. It dies with its parent, leaves Ctrl-C to it,
// and does nothing but answer; whatever goes wrong there comes back as text. The two share a
// socket that carries the steps of each block before it and a report after it, nothing in between.
// A described rail: both sides in this process and thread, one poll of the other side whenever
// this one has nothing to do, so that virtual time is the same in every run.
#pragma once

#include <memory>

#include "core/clock.h"
#include "drivers/drivers.h"
#include "node/node.h"
#include "sampler/ping_pong.h"

namespace nmt {

// Forks; pins both ends for as long as the partner lives. `clock` must outlive it.
std::unique_ptr<Partner> fork_partner(Driver& driver, const Rail& rail, const Buffers& buffers,
                                      const CorePair& cores, const Clock& clock);

std::unique_ptr<Partner> in_process_partner(Driver& driver, const Rail& rail,
                                            const Buffers& buffers);

}  // namespace nmt
