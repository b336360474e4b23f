// SPDX-License-Identifier: BSD-3-Clause
//
// Which blocks the next round of a rail's campaign visits, from what is known so far. It measures
// nothing and has no clock: the caller passes the time.
//
// Rounds of held-out sizes alternate with the others by their share of the time, so that the truth
// is measured in the same states of the machine as what it verifies. Beside busy rails, only the
// anchors are measured alone: they connect these rounds to those of the rail alone.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "sampler/rail/evidence.h"
#include "sampler/rail/measurement_space.h"
#include "sampler/rail/pacing.h"
#include "sampler/rail/size_requests.h"

namespace nmt::sampler {

// One size in one regime, with all its experiments interleaved.
struct Block {
  Regime regime = Regime::kHot;
  std::uint64_t size_bytes = 0;
  bool held_out = false;
  bool anchor = false;    // only to connect the round to the others: one pass over the transfers
  bool landmark = false;  // to compare pairs of nodes: the transfers only
};

struct Time {
  double spent_ns = 0;
  double verifying_ns = 0;  // in rounds of held-out sizes
  double left_ns = 0;
};

class Schedule {
 public:
  struct Aims {
    double precision = 0;
    bool verify = false;
  };
  Schedule(const Evidence& evidence, const Pacing& pacing, const MeasurementSpace& space,
           const Aims& aims, std::mt19937_64& random);

  // Sizes of the grid that no session has measured yet.
  std::vector<Block> first_round() const;

  // The most urgent requests, and the anchors; empty if there are no requests.
  std::vector<Block> next_round(const Time& time);

  std::vector<Experiment> experiments(const Block& block) const;
  static std::uint32_t passes(const Block& block) { return block.anchor ? 1 : kPasses; }
  double cost_ns(const Block& block) const {
    return pacing_.cost_ns(experiments(block), passes(block));
  }

 private:
  std::vector<std::uint64_t> choose_held_out() const;
  std::vector<Block> sampling_round(double left_ns) const;
  std::vector<Block> verifying_round() const;
  double held_out_score(std::uint64_t size_bytes) const;
  void add_anchors(std::vector<Block>* blocks) const;

  const Evidence& evidence_;
  const Pacing& pacing_;
  const MeasurementSpace& space_;
  Aims aims_;
  std::mt19937_64& random_;
  std::vector<std::uint64_t> held_out_;
};

}  // namespace nmt::sampler
