// SPDX-License-Identifier: BSD-3-Clause
//
// A campaign measures rails until everything asked is known well enough, or the budget is spent.
//
// One campaign, one rail after the other. Per rail: rounds of shuffled blocks, a block being one
// size with all competing methods back to back; anchor sizes return in every round, so that drift
// is estimated and not chased; a geometric grid first, then the sizes where interpolation fails
// or a decision is undecided (docs/method.md). Then, where asked, each rail again while others are
// busy. Real rails are measured between this process and a
// forked one on the two nearest cores; rails to another node between this process and one there
// that answers (answer.h); described rails in virtual time, within this process.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "control/control.h"
#include "core/sample.h"
#include "drivers/drivers.h"
#include "sampler/observer.h"
#include "sampler/report.h"

namespace nmt {

struct SamplingOptions {
  double budget_ns = 60e9;  // for all rails together, verification included
  double precision = 0.02;  // asked relative half-width of the 95 % interval of each median
  std::uint64_t size_bytes_max = std::uint64_t{16} << 20;
  std::uint64_t max_unexpected_bytes = std::uint64_t{64} << 10;
  std::uint64_t seed = 1;  // of the shuffling and of the sizes held out
  bool verify = false;     // also measure sizes that are held out (Sample::held_out)
  bool pairs = false;      // also each rail while others are busy (RailGroup)
  bool offload = false;    // also what it costs to hand work to another core of this node
};

struct RailToSample {
  Driver* driver = nullptr;
  Rail rail;
  control::Connection* peer = nullptr;  // to the node with the rail's other end; null: this node
};

// All rails of one campaign have one peer, or none. `earlier` holds what previous sessions of the
// same campaign measured, per rail's full name. A rail that fails is reported and the others go on;
// it is no part of any group.
// Throws only for what no rail survives.
CampaignReport run_campaign(std::span<const RailToSample> rails, const SamplingOptions& options,
                            const std::map<std::string, std::vector<Sample>>& earlier,
                            Observer& observer);

}  // namespace nmt
