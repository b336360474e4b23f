// SPDX-License-Identifier: BSD-3-Clause
//
// What it costs to make memory ready for a rendezvous: registration, which the first one from some
// memory pays, and none from memory that is still registered.
//
// Messages are measured from memory that is registered already, as long as buffers return. Who
// sends from fresh memory each time pays this at both ends, and his rendezvous threshold is higher.
#pragma once

#include <cstdint>
#include <vector>

#include "core/clock.h"
#include "core/sample.h"
#include "drivers/drivers.h"

namespace nmt {

// Cold and cached, at powers of four from a page on; nothing of a rail that needs no registration.
// `prototype` is what all samples of the rail share.
std::vector<Sample> sample_registration(Endpoint& endpoint, const Clock& clock,
                                        const Sample& prototype, std::uint64_t size_bytes_max,
                                        double budget_ns);

// What a rail's share of a campaign has for it.
double registration_budget_ns(double rail_budget_ns);

}  // namespace nmt
