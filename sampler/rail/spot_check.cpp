// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/spot_check.h"

#include <algorithm>
#include <memory>

#include "core/statistics.h"
#include "node/node.h"
#include "sampler/rail/buffers.h"
#include "sampler/rail/partner.h"
#include "sampler/rail/ping_pong.h"
#include "sampler/rail/remote.h"

namespace nmt::sampler {
namespace {

constexpr double kPassNs = 1e6;  // of one cell
constexpr double kRepetitionsMin = 3, kRepetitionsMax = 100;
constexpr std::uint32_t kPassesOfLaunch = 3;

std::uint32_t repetitions_of(const SpotCell& cell) {
  const double repetition_ns =
      std::max(1.0, cell.expected_ns * operations(cell.experiment) * cell.batch);
  return static_cast<std::uint32_t>(
      std::clamp(kPassNs / repetition_ns, kRepetitionsMin, kRepetitionsMax));
}

// Passes over all cells, so that each cell is spread over the launch.
std::vector<Step> steps_of(const std::vector<SpotCell>& cells) {
  std::vector<Step> steps;
  for (std::uint32_t pass = 0; pass < kPassesOfLaunch; ++pass) {
    for (const SpotCell& cell : cells) {
      steps.push_back({cell.experiment, 2, repetitions_of(cell), cell.batch});
    }
  }
  return steps;
}

void add_launch(const std::vector<SpotCell>& cells, const std::vector<Step>& steps,
                const BlockResult& result, SpotCheck* check) {
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    std::vector<double> durations_ns;
    for (std::size_t step = cell; step < steps.size(); step += cells.size()) {
      for (const std::uint64_t total_ns : result.totals_ns[step]) {
        durations_ns.push_back(static_cast<double>(total_ns) / steps[step].batch /
                               operations(cells[cell].experiment));
      }
    }
    if (!durations_ns.empty()) check->launches_ns[cell].push_back(median(durations_ns));
  }
}

}  // namespace

SpotCheck spot_check(std::span<const RailToSample> rails, std::size_t measured,
                     const std::vector<SpotCell>& cells, double budget_ns) {
  const RailToSample& rail = rails[measured];
  SpotCheck check;
  check.launches_ns.resize(cells.size());
  std::uint64_t largest_bytes = 1;
  for (const SpotCell& cell : cells) {
    largest_bytes = std::max(largest_bytes, cell.experiment.size_bytes);
  }
  const RailGroup group = {.measured = measured, .busy = {}};
  const std::vector<Step> steps = steps_of(cells);
  const bool described = rail.driver->virtual_clock() != nullptr;
  const RealClock real;
  const Clock& clock = described ? static_cast<const Clock&>(*rail.driver->virtual_clock())
                                 : static_cast<const Clock&>(real);
  const Buffers buffers = described ? Buffers::described(largest_bytes)
                                    : Buffers(largest_bytes, node::private_cache_bytes());
  const node::CorePair cores = node::nearest_cores();
  const auto start_ns = static_cast<double>(clock.now_ns());
  double launch_ns = 0;  // of the longest one
  for (std::size_t launch = 0; launch < kSpotLaunches; ++launch) {
    const auto began_ns = static_cast<double>(clock.now_ns());
    if (launch > 0 && began_ns - start_ns + launch_ns > budget_ns) break;
    const bool remote = rail.peer != nullptr;
    try {
      const std::unique_ptr<Partner> partner =
          described ? in_process_partner(group, rails, buffers)
          : remote  ? remote_partner(group, rails, cores, real)
                    : fork_partner(group, rails, buffers, cores, real);
      PingPong ping_pong(*partner, buffers, nullptr);
      add_launch(cells, steps, ping_pong.run(steps), &check);
    } catch (const Error&) {
      if (remote) close_remote_rail(*rail.peer);
      throw;
    }
    if (remote) close_remote_rail(*rail.peer);
    launch_ns = std::max(launch_ns, static_cast<double>(clock.now_ns()) - began_ns);
  }
  check.elapsed_ns = static_cast<double>(clock.now_ns()) - start_ns;
  return check;
}

void end_spot_checks(control::Connection& peer) {
  peer.send(remote::kEnd, remote::to_text(CampaignReport{}));
}

}  // namespace nmt::sampler
