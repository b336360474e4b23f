// SPDX-License-Identifier: BSD-3-Clause
//
// The other end of a rail, and of its busy rails, while it is sampled.
//
// For a real rail: a forked process on another core. It ends with its parent, leaves Ctrl-C to it,
// and only answers; errors come back as text. The two share a socket that carries the steps before
// each block and a report after it, and nothing in between. For a rail between two nodes: a process
// on the other node, started by the user, that answers over the control connection
// (sampler/rail/remote.h). For a described rail: both sides are in this process and thread. The
// other side is polled whenever this side has nothing to do, so virtual time is the same in every
// run.
#pragma once

#include <memory>

#include "control/control.h"
#include "core/clock.h"
#include "drivers/drivers.h"
#include "node/node.h"
#include "sampler/rail/rail_group.h"

namespace nmt::sampler {

// Forks; pins both ends while the partner lives. `clock` must outlive it.
std::unique_ptr<Partner> fork_partner(const RailGroup& group, std::span<const RailToSample> rails,
                                      const Buffers& buffers, const node::CorePair& cores,
                                      const Clock& clock);

// `rails` are those that both ends agreed on; `ranks` of this node use them at once. Pins this end
// while the partner lives; the rails' peer and `clock` must outlive it. Call close_remote_rail()
// afterwards in any case.
std::unique_ptr<Partner> remote_partner(const RailGroup& group, std::span<const RailToSample> rails,
                                        const node::CorePair& cores, const Clock& clock,
                                        std::uint32_t ranks = 1);

// Ends the other end's work on its rails. Error(kPeer) if the other end is lost.
void close_remote_rail(control::Connection& peer);

std::unique_ptr<Partner> in_process_partner(const RailGroup& group,
                                            std::span<const RailToSample> rails,
                                            const Buffers& buffers);

}  // namespace nmt::sampler
