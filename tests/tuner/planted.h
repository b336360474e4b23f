// SPDX-License-Identifier: BSD-3-Clause
//
// Planted truth: rails described by piecewise linear durations, and what a campaign on them would
// have measured, noise and all. Tests know the answer and ask whether the tuner finds it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/curve.h"
#include "core/plan.h"
#include "core/sample.h"

namespace nmt::planted {

struct Rail {
  std::string name;
  Curve copy;
  Curve iovec;
  Curve rendezvous;
  Curve memcpy;
  double second_packet = 0.6;  // of two back to back costs this part of the first

  // Truth, nanoseconds; sizes as in core/method.h.
  double transfer_ns(Method method, double size_bytes) const;
  double duration_ns(const std::string& benchmark, Method method, double size_bytes) const;
  // log(above / below) of a decision at a size.
  double log_ratio(DecisionKind kind, double size_bytes) const;
};

struct Noise {
  double cv = 0.02;
  double outlier_rate = 0.01;
  double outlier_factor = 20;
  double session_drift = 0.08;
  double round_drift = 0.05;  // slow, over the rounds
};
inline constexpr Noise kNone = {0, 0, 1, 0, 0};

struct Campaigning {
  std::vector<std::uint64_t> sizes_bytes;
  std::vector<std::uint64_t> held_out_bytes = {};
  std::uint32_t rounds = 8;
  std::uint32_t repetitions = 3;  // of a cell in a round
  std::uint64_t max_unexpected_bytes = std::uint64_t{64} << 10;
  Noise noise = {};
};

struct Launch {
  SampleSet set;
  double factor = 1;  // its usual (median) speed: its truth is this times the rail's
};

// All benchmarks of a rail, as issue 2 describes them. Equal names and seeds: equal numbers.
Launch measure(const Rail& rail, const Campaigning& campaigning, std::uint64_t seed);

// 1, 2, 4 ... up to the largest, with midpoints where `halves`.
std::vector<std::uint64_t> grid(std::uint64_t size_bytes_max, bool halves = false);

// Sizes spread evenly over the logarithmic axis.
std::vector<std::uint64_t> log_uniform(std::uint64_t from, std::uint64_t to, std::size_t count);

// Shapes of the paper "sampling-based auto-tuning", IV-B, IV-C: thresholds for iovec and
// rendezvous as published, durations as its axes suggest.
Rail jack();    // iovec from 8 B
Rail joe();     // iovec from 49 B; 32 KB eager costs 84 % more than by rendezvous
Rail genepi();  // iovec from 4 KB; eager up to the bound, 17 KB by rendezvous cost 21 % more
Rail infini();  // rendezvous from 17 KB

}  // namespace nmt::planted
