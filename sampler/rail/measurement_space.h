// SPDX-License-Identifier: BSD-3-Clause
//
// What can be measured on a rail at one size: the experiments, and which of them each decision
// compares (docs/method.md).
#pragma once

#include <cstdint>
#include <vector>

#include "core/method.h"
#include "sampler/rail/benchmark.h"

namespace nmt::sampler {

struct MeasurementSpace {
  std::vector<Method> methods;
  std::uint64_t size_bytes_max = 0;
  std::uint64_t max_unexpected_bytes = 0;  // limit of eager messages
  bool contended = false;  // busy rails: only hot transfers, by methods that thresholds choose
  Variants variants;       // of methods that have any
};

// Two sides of a decision at one size; each side counts as its best experiment.
struct DecisionSides {
  DecisionKind kind;
  std::vector<Experiment> below;
  std::vector<Experiment> above;
};

// Only the decisions that this rail has at this size: eager ones up to max_unexpected_bytes,
// aggregation while both packets together are eager.
std::vector<DecisionSides> decisions_at(const MeasurementSpace& space, Regime regime,
                                        std::uint64_t size_bytes);

// All experiments at a size: every transfer method, those of the decisions, and memcpy. Beside busy
// rails: only transfers that a threshold may choose.
std::vector<Experiment> experiments_at(const MeasurementSpace& space, Regime regime,
                                       std::uint64_t size_bytes);

}  // namespace nmt::sampler
