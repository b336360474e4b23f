// SPDX-License-Identifier: BSD-3-Clause
//
// Networks whose signature is known, and what measuring alltoalls on them gives: noise, what whole
// sessions share, and outliers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "contention/contention.h"

namespace nmt::planted {

struct Network {
  Curve message = contention::straight_line(50e3, 8.502);
  double gamma = 4.3628;
  double delta_ns = 4.93e6;  // 0: none
  contention::DeltaForm form = contention::DeltaForm::kPerCommunication;
  std::uint64_t delta_from_bytes = 8192;
  std::int64_t cores = 0;
  double processor_ns = 0;
  // Of gamma, by the number of ranks: how far the network is from saturation.
  std::function<double(std::int64_t)> saturation = [](std::int64_t) { return 1.0; };

  // Of gamma and delta, by ranks and size: where no gamma and delta fit all sizes.
  std::function<double(std::int64_t, std::uint64_t)> by_cell = [](std::int64_t, std::uint64_t) {
    return 1.0;
  };

  double duration_ns(std::int64_t ranks, std::uint64_t size_bytes) const;
};

struct AlltoallNoise {
  double each = 0.05;      // relative, of one time
  double session = 0.015;  // of all times of a session, beyond what its messages share
  double outlier_rate = 0.02;
  double outlier_factor = 8;  // at most
};
inline constexpr AlltoallNoise kQuiet = {0, 0, 0, 1};

struct Measuring {
  std::vector<std::int64_t> ranks = {8, 16, 24};
  std::vector<std::uint64_t> sizes_bytes = {512,       1024,      2048,      4096,
                                            8192,      16 << 10,  32 << 10,  64 << 10,
                                            128 << 10, 256 << 10, 512 << 10, 1024 << 10};
  std::uint32_t sessions = 12;
  std::uint32_t repetitions = 10;
  AlltoallNoise noise = {};
};

// What one campaign measures on 16 nodes, with the default sizes (sampler/job/alltoall_grid.h).
Measuring one_campaign();

contention::AlltoallTimes measure(const Network& network, const Measuring& measuring,
                                  std::uint64_t seed);

// A network drawn at random, with three sizes on each side of M at least, and a delta that is half
// to five times what the rest takes at M. M is drawn too, unless it is given.
Network random_network(const Measuring& measuring, std::uint64_t seed,
                       std::optional<std::uint64_t> delta_from_bytes = {});

// What a fit made of a network.
struct Outcome {
  double gamma_error = 0;  // relative
  double delta_error = 0;  // relative; where there is a delta
  bool gamma_covered = false;
  bool delta_covered = false;
  bool found_size = false;
  std::size_t sizes_off = 0;  // of the measured sizes, between M and the one that was found
  bool found_form = false;
  bool found_delta = false;
};
Outcome fit_planted(const Network& network, const Measuring& measuring, std::uint64_t seed);

}  // namespace nmt::planted
