// SPDX-License-Identifier: BSD-3-Clause
//
// The cost of making memory ready for a rendezvous: the registration, which the first message from
// some memory pays, and 0 for memory that is still registered.
//
// Messages are measured from memory that is registered already, because buffers are reused. A
// program that sends from new memory each time pays this cost at both ends, so its rendezvous
// threshold is higher.
#pragma once

#include <cstdint>
#include <vector>

#include "core/clock.h"
#include "core/sample.h"
#include "drivers/drivers.h"

namespace nmt::sampler {

// Cold and cached, at powers of four from one page on; none for a rail that needs no registration.
// `prototype`: what all samples of the rail share.
std::vector<Sample> sample_registration(drivers::Endpoint& endpoint, const Clock& clock,
                                        const Sample& prototype, std::uint64_t size_bytes_max,
                                        double budget_ns);

// The part of a rail's budget for it.
double registration_budget_ns(double rail_budget_ns);

}  // namespace nmt::sampler
