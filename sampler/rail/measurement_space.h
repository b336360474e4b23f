// SPDX-License-Identifier: BSD-3-Clause
//
// What there is to measure on a rail at one size: experiments, and the decisions between them that
// decisions are made of (docs/method.md).
#pragma once

#include <cstdint>
#include <vector>

#include "core/method.h"
#include "sampler/rail/benchmark.h"

namespace nmt {

struct MeasurementSpace {
  std::vector<Method> methods;
  std::uint64_t size_bytes_max = 0;
  std::uint64_t max_unexpected_bytes = 0;  // eager messages end here
  bool contended = false;  // busy rails: only transfers, hot, by what thresholds can choose
  Variants variants;       // of those methods that have any
};

// Two sides of a decision at one size; each side is worth its best experiment.
struct DecisionSides {
  DecisionKind kind;
  std::vector<Experiment> below;
  std::vector<Experiment> above;
};

// Only decisions that this size and rail have: eager up to max_unexpected_bytes, aggregation while
// both packets together are still eager.
std::vector<DecisionSides> decisions_at(const MeasurementSpace& space, Regime regime,
                                        std::uint64_t size_bytes);

// All experiments at a size: every transfer method, the decisions', memcpy; beside busy rails the
// transfers that a threshold can choose.
std::vector<Experiment> experiments_at(const MeasurementSpace& space, Regime regime,
                                       std::uint64_t size_bytes);

}  // namespace nmt
