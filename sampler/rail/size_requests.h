// SPDX-License-Identifier: BSD-3-Clause
//
// Which sizes to measure next, from what is known: the adaptive half of a campaign. Pure.
//
// Three reasons to want a size: interpolation between its neighbours fails there; a decision
// changes somewhere between two sizes that are still far apart; what was measured there is not
// precise enough, or was seen in one round only. Each request carries how badly it is wanted: 1 is
// the asked precision, so that requests of different kinds compare (docs/method.md).
#pragma once

#include <cstdint>
#include <vector>

#include "sampler/rail/evidence.h"
#include "sampler/rail/measurement_space.h"

namespace nmt {

// Powers of four from 1, and the largest size.
std::vector<std::uint64_t> first_grid(std::uint64_t size_bytes_max);

// Sizes that return in every round and tie the rounds together: a small, two middle and a large
// one of the first grid, none so large that it would eat the round.
std::vector<std::uint64_t> anchors(std::uint64_t size_bytes_max);

struct SizeRequest {
  Regime regime = Regime::kHot;
  std::uint64_t size_bytes = 0;
  double score = 0;  // 1: just worth measuring
};

// Those of score 1 and more, the most urgent first. Sizes to avoid (held out) are never requested.
std::vector<SizeRequest> size_requests(const Evidence& evidence, const MeasurementSpace& space,
                                       Regime regime, double precision,
                                       const std::vector<std::uint64_t>& avoid);

// log(duration of the best of `below` / that of the best of `above`), with its doubt; false where
// one side was never measured.
struct LogRatio {
  double log_ratio = 0;
  double relative_half_width = 0;
};
bool ratio_of(const Evidence& evidence, const DecisionSides& sides, bool held_out, LogRatio* ratio);

// How badly a decision at a size needs more repetitions (1: just): the better side is in doubt, and
// choosing wrongly may cost more than goes for equal.
double uncertainty_score(const LogRatio& ratio);

// Whether the other way of sending eagerly beats this one clearly, at this size or on both sides
// of it: measuring it again would only cost time.
bool clearly_loses(const Evidence& evidence, const Experiment& experiment);

}  // namespace nmt
