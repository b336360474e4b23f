// SPDX-License-Identifier: BSD-3-Clause
//
// Which sizes to measure next: the adaptive part of a campaign. Pure.
//
// There are three reasons to request a size: interpolation between its neighbours fails there; a
// decision changes between two sizes that are still far apart; or a measurement there is not
// precise enough, or is from one round only. Each request has a score; 1 corresponds to the
// required precision, so that different kinds of requests can be compared (docs/method.md).
#pragma once

#include <cstdint>
#include <vector>

#include "sampler/rail/evidence.h"
#include "sampler/rail/measurement_space.h"

namespace nmt::sampler {

// Powers of four from 1, and the largest size.
std::vector<std::uint64_t> first_grid(std::uint64_t size_bytes_max);

// Sizes that every round measures, to connect the rounds: a small one, two middle ones and a large
// one of the first grid, none so large that it would use up the round.
std::vector<std::uint64_t> anchors(std::uint64_t size_bytes_max);

struct SizeRequest {
  Regime regime = Regime::kHot;
  std::uint64_t size_bytes = 0;
  double score = 0;  // 1: just worth measuring
};

// Requests with a score of at least 1, the most urgent first. Sizes in `avoid` (held out) are never
// requested.
std::vector<SizeRequest> size_requests(const Evidence& evidence, const MeasurementSpace& space,
                                       Regime regime, double precision,
                                       const std::vector<std::uint64_t>& avoid);

// log(duration of the best of `below` / that of the best of `above`), with its uncertainty; false
// if one side was never measured.
struct LogRatio {
  double log_ratio = 0;
  double relative_half_width = 0;
};
bool ratio_of(const Evidence& evidence, const DecisionSides& sides, bool held_out, LogRatio* ratio);

// How urgently a decision at a size needs more repetitions (1: just): the better side is uncertain,
// and the wrong choice may cost more than the equivalence zone.
double uncertainty_score(const LogRatio& ratio);

// Whether the other eager method is clearly faster than this one, at this size or at both
// neighbouring sizes: measuring it again would only cost time.
bool clearly_loses(const Evidence& evidence, const Experiment& experiment);

}  // namespace nmt::sampler
