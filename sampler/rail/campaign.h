// SPDX-License-Identifier: BSD-3-Clause
//
// A campaign measures rails until every requested cell is precise enough, or the budget is spent.
//
// It measures one rail after the other. Per rail: rounds of shuffled blocks, where a block is one
// size with all competing methods back to back. Anchor sizes are part of every round, so that drift
// can be estimated. A geometric grid comes first, then sizes where interpolation fails or a
// decision is open (docs/method.md). Then, on request, each rail is measured again while others are
// busy. Real rails are measured between this process and a forked one on the two nearest cores;
// rails to another node between this process and one there that answers (answer.h); described rails
// in virtual time within this process.
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

namespace nmt::sampler {

// Of kLandmarksBytes: measured like all other sizes, before them, or instead of them.
enum class Landmarks { kNone, kFirst, kOnly };

struct SamplingOptions {
  double budget_ns = 60e9;  // for all rails together, verification included
  double precision = 0.02;  // required relative half-width of the 95 % interval of each median
  std::uint64_t size_bytes_max = std::uint64_t{16} << 20;
  std::uint64_t max_unexpected_bytes = std::uint64_t{64} << 10;
  std::uint64_t seed = 1;  // for shuffling, and for the choice of held-out sizes
  bool verify = false;     // also measure held-out sizes (Sample::held_out)
  bool pairs = false;      // also measure each rail while others are busy (RailGroup)
  bool confirm = false;    // the far end stores nothing: spot_check.h, multi_pair.h
  bool offload = false;    // also measure the cost of handing work to another core of this node
  Landmarks landmarks = Landmarks::kNone;
  std::uint32_t ranks_per_node = 1;  // that use each rail at the same time (multi_pair.h)
  std::uint32_t rank = 0;            // this one of them
};

struct RailToSample {
  drivers::Driver* driver = nullptr;
  Rail rail;
  control::Connection* peer = nullptr;  // to the node of the rail's other end; null: this node
};

// To the other ranks of this node that use the rails at the same time (multi_pair.h).
using Companions = std::span<control::Connection* const>;

// All rails of one campaign have the same peer, or none. `earlier`: samples of previous sessions of
// the same campaign, by the rail's full name. A rail that fails is reported, and the others go on;
// it is not in any group. Throws only if no rail can continue.
CampaignReport run_campaign(std::span<const RailToSample> rails, const SamplingOptions& options,
                            const std::map<std::string, std::vector<Sample>>& earlier,
                            Observer& observer, Companions companions = {});

// Frees the memory of messages, which campaigns of a process keep for the next one.
void release_buffers();

}  // namespace nmt::sampler
