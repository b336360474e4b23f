// SPDX-License-Identifier: BSD-3-Clause
//
// Who is at the other end of a rail, and of those beside it, while it is sampled.
//
// A real rail: a forked process on another core. It dies with its parent, leaves Ctrl-C to it,
// and does nothing but answer; whatever goes wrong there comes back as text. The two share a
// socket that carries the steps of each block before it and a report after it, nothing in between.
// A rail between two nodes: a process there, started by whoever uses it, that answers over the
// control connection (sampler/rail/remote.h).
// A described rail: both sides in this process and thread, one poll of the other side whenever
// this one has nothing to do, so that virtual time is the same in every run.
#pragma once

#include <memory>

#include "control/control.h"
#include "core/clock.h"
#include "drivers/drivers.h"
#include "node/node.h"
#include "sampler/rail/rail_group.h"

namespace nmt {

// Forks; pins both ends for as long as the partner lives. `clock` must outlive it.
std::unique_ptr<Partner> fork_partner(const RailGroup& group, std::span<const RailToSample> rails,
                                      const Buffers& buffers, const CorePair& cores,
                                      const Clock& clock);

// `rails` are those that both ends agreed on. Pins this end for as long as the partner lives; their
// peer and `clock` must outlive it. close_remote_rail() must follow, whatever came of it.
std::unique_ptr<Partner> remote_partner(const RailGroup& group, std::span<const RailToSample> rails,
                                        const CorePair& cores, const Clock& clock);

// Ends the other end's work on its rails. Error(kPeer) where the other end is lost.
void close_remote_rail(control::Connection& peer);

std::unique_ptr<Partner> in_process_partner(const RailGroup& group,
                                            std::span<const RailToSample> rails,
                                            const Buffers& buffers);

}  // namespace nmt
