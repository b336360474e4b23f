// SPDX-License-Identifier: BSD-3-Clause
//
// The three decisions of a rail, from its pooled samples: iovec, then rendezvous, then aggregation.
// The last ends at the size where two packets together would need a rendezvous.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/plan.h"
#include "tuner/pool.h"

namespace nmt::tuner {

// The decisions whose two sides were measured, in the order above.
std::vector<Threshold> derive_thresholds(const Cells& cells, std::span<const PlanCurve> curves,
                                         std::uint64_t max_unexpected_bytes, std::uint64_t seed);

// The size from which on only `above` is allowed, whatever was measured: a message that no receiver
// accepts unexpected needs a rendezvous, and a message that needs a rendezvous is not aggregated.
// nullopt if nothing forces it. `decided` are the thresholds of the same rail.
std::optional<std::uint64_t> forced_from(DecisionKind kind, std::uint64_t max_unexpected_bytes,
                                         std::span<const Threshold> decided);

}  // namespace nmt::tuner
