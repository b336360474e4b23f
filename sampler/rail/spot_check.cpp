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
constexpr double kLongNs = 8e6;  // of a repetition: one of them is enough
constexpr std::uint32_t kPassesOfLaunch = 2;

std::uint32_t repetitions_of(const SpotCell& cell) {
  const double repetition_ns =
      std::max(1.0, cell.expected_ns * operations(cell.experiment) * cell.batch);
  const double least = repetition_ns > kLongNs ? 1 : kRepetitionsMin;
  return static_cast<std::uint32_t>(std::clamp(kPassNs / repetition_ns, least, kRepetitionsMax));
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

// Launches of one rail.
class SpotRail {
 public:
  SpotRail(std::span<const RailToSample> rails, std::size_t measured,
           const std::vector<SpotCell>& cells)
      : rails_(rails),
        rail_(rails[measured]),
        group_{.measured = measured, .busy = {}},
        cells_(cells),
        steps_(steps_of(cells)),
        described_(rail_.driver->virtual_clock() != nullptr),
        buffers_(described_ ? Buffers::described(largest_bytes(cells))
                            : Buffers(largest_bytes(cells), node::private_cache_bytes())) {
    check_.launches_ns.resize(cells.size());
  }

  bool goes_on() const { return !cells_.empty() && check_.failure.empty(); }
  double longest_ns() const { return longest_ns_; }  // launch
  double elapsed_ns() const { return check_.elapsed_ns; }
  const SpotCheck& check() const { return check_; }

  void launch() {
    const Clock& clock = described_ ? static_cast<const Clock&>(*rail_.driver->virtual_clock())
                                    : static_cast<const Clock&>(real_);
    const auto start_ns = static_cast<double>(clock.now_ns());
    try {
      measure();
    } catch (const Error& error) {
      check_.failure = error.what();
    }
    const double took_ns = static_cast<double>(clock.now_ns()) - start_ns;
    check_.elapsed_ns += took_ns;
    longest_ns_ = std::max(longest_ns_, took_ns);
  }

 private:
  static std::uint64_t largest_bytes(const std::vector<SpotCell>& cells) {
    std::uint64_t largest = 1;
    for (const SpotCell& cell : cells) largest = std::max(largest, cell.experiment.size_bytes);
    return largest;
  }

  void measure() {
    try {
      const std::unique_ptr<Partner> partner =
          described_              ? in_process_partner(group_, rails_, buffers_)
          : rail_.peer != nullptr ? remote_partner(group_, rails_, cores_, real_)
                                  : fork_partner(group_, rails_, buffers_, cores_, real_);
      PingPong ping_pong(*partner, buffers_, nullptr);
      add(ping_pong.run(steps_));
    } catch (const Error&) {
      if (rail_.peer != nullptr) close_remote_rail(*rail_.peer);
      throw;
    }
    if (rail_.peer != nullptr) close_remote_rail(*rail_.peer);
  }

  void add(const BlockResult& result) {
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
      std::vector<double> durations_ns;
      for (std::size_t step = cell; step < steps_.size(); step += cells_.size()) {
        for (const std::uint64_t total_ns : result.totals_ns[step]) {
          durations_ns.push_back(static_cast<double>(total_ns) / steps_[step].batch /
                                 operations(cells_[cell].experiment));
        }
      }
      if (!durations_ns.empty()) check_.launches_ns[cell].push_back(median(durations_ns));
    }
  }

  std::span<const RailToSample> rails_;
  const RailToSample& rail_;
  RailGroup group_;
  const std::vector<SpotCell>& cells_;
  std::vector<Step> steps_;
  bool described_;
  Buffers buffers_;
  RealClock real_;
  node::CorePair cores_ = node::nearest_cores();
  double longest_ns_ = 0;
  SpotCheck check_;
};

}  // namespace

std::vector<SpotCheck> spot_check(std::span<const RailToSample> rails,
                                  std::span<const std::vector<SpotCell>> cells_of_rail,
                                  double budget_ns) {
  std::vector<SpotRail> spots;
  spots.reserve(rails.size());
  for (std::size_t i = 0; i < rails.size(); ++i) spots.emplace_back(rails, i, cells_of_rail[i]);
  double elapsed_ns = 0;
  for (std::size_t launch = 0; launch < kSpotLaunches; ++launch) {
    for (SpotRail& spot : spots) {
      if (!spot.goes_on()) continue;
      if (launch > 0 && elapsed_ns + spot.longest_ns() > budget_ns) continue;
      const double before_ns = spot.elapsed_ns();
      spot.launch();
      elapsed_ns += spot.elapsed_ns() - before_ns;
    }
  }
  std::vector<SpotCheck> checks;
  for (const SpotRail& spot : spots) checks.push_back(spot.check());
  return checks;
}

void end_spot_checks(control::Connection& peer) {
  peer.send(remote::kEnd, remote::to_text(CampaignReport{}));
}

}  // namespace nmt::sampler
