// SPDX-License-Identifier: BSD-3-Clause
#include "tests/contention/planted.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "sampler/job/alltoall_grid.h"

namespace nmt::planted {

double Network::duration_ns(std::int64_t ranks, std::uint64_t size_bytes) const {
  const double n = static_cast<double>(ranks);
  double duration_ns =
      (n - 1) * message.at(static_cast<double>(size_bytes)) * gamma * saturation(ranks);
  if (size_bytes >= delta_from_bytes) {
    duration_ns += delta_ns * (form == contention::DeltaForm::kOnce ? 1 : n - 1);
  }
  duration_ns *= by_cell(ranks, size_bytes);
  if (cores > 0 && ranks > cores) duration_ns += processor_ns * n * (n - 1) / double(cores);
  return duration_ns;
}

Measuring one_campaign() {
  return {.ranks = {8, 12, 16},
          .sizes_bytes = {std::begin(sampler::kAlltoallSizesBytes),
                          std::end(sampler::kAlltoallSizesBytes)},
          .sessions = 1};
}

contention::AlltoallTimes measure(const Network& network, const Measuring& measuring,
                                  std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const AlltoallNoise& noise = measuring.noise;
  contention::AlltoallTimes measured{.cores = network.cores, .message = network.message};
  for (std::uint32_t session = 0; session < measuring.sessions; ++session) {
    const double shared = 1 + noise.session * normal(random);
    for (const std::int64_t ranks : measuring.ranks) {
      for (const std::uint64_t size_bytes : measuring.sizes_bytes) {
        for (std::uint32_t i = 0; i < measuring.repetitions; ++i) {
          double duration_ns = network.duration_ns(ranks, size_bytes) * shared *
                               std::max(0.1, 1 + noise.each * normal(random));
          if (uniform(random) < noise.outlier_rate) {
            duration_ns *= 1 + (noise.outlier_factor - 1) * uniform(random);
          }
          measured.times.push_back({ranks, size_bytes, session, duration_ns});
        }
      }
    }
  }
  return measured;
}

Network random_network(const Measuring& measuring, std::uint64_t seed,
                       std::optional<std::uint64_t> delta_from_bytes) {
  std::mt19937_64 random(seed);
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<double>()(random));
  };
  Network network{.message = contention::straight_line(between(5e3, 100e3), between(1, 90))};
  network.gamma = between(1, 6);
  constexpr std::size_t kEachSide = 3;
  std::uniform_int_distribution<std::size_t> draw(kEachSide,
                                                  measuring.sizes_bytes.size() - kEachSide);
  const std::uint64_t drawn_bytes = measuring.sizes_bytes[draw(random)];
  network.delta_from_bytes = delta_from_bytes.value_or(drawn_bytes);
  network.delta_ns = between(0.5, 5) * network.gamma *
                     network.message.at(static_cast<double>(network.delta_from_bytes));
  if (random() % 2 == 0) {
    network.form = contention::DeltaForm::kOnce;
    network.delta_ns *= static_cast<double>(measuring.ranks[measuring.ranks.size() / 2] - 1);
  }
  return network;
}

Outcome fit_planted(const Network& network, const Measuring& measuring, std::uint64_t seed) {
  const contention::SignatureFit fit =
      contention::fit_signature(measure(network, measuring, seed), {.seed = seed});
  const Signature& signature = fit.signature;
  const auto within = [](double value, const Interval& interval) {
    return value >= interval.low && value <= interval.high;
  };
  Outcome outcome;
  outcome.gamma_error = std::abs(signature.gamma / network.gamma - 1);
  outcome.gamma_covered = within(network.gamma, fit.gamma);
  outcome.found_delta = signature.delta_ns > 0;
  if (network.delta_ns > 0) {
    outcome.delta_error = std::abs(signature.delta_ns / network.delta_ns - 1);
    outcome.delta_covered = within(network.delta_ns, fit.delta_ns);
    outcome.found_size = signature.delta_from_bytes == network.delta_from_bytes;
    const std::uint64_t low = std::min(signature.delta_from_bytes, network.delta_from_bytes);
    const std::uint64_t high = std::max(signature.delta_from_bytes, network.delta_from_bytes);
    outcome.sizes_off = static_cast<std::size_t>(std::ranges::count_if(
        measuring.sizes_bytes,
        [&](std::uint64_t size_bytes) { return low < size_bytes && size_bytes <= high; }));
    outcome.found_form =
        signature.delta_per_message == (network.form == contention::DeltaForm::kPerCommunication);
  }
  return outcome;
}

}  // namespace nmt::planted
