// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/spot_check.h"

#include <algorithm>
#include <memory>
#include <optional>

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

// What all real rails are measured with.
struct RealMeans {
  explicit RealMeans(std::uint64_t largest_bytes)
      : buffers(largest_bytes, node::private_cache_bytes()) {}
  RealClock clock;
  node::CorePair cores = node::nearest_cores();
  Buffers buffers;
};

bool is_described(const RailToSample& rail) { return rail.driver->virtual_clock() != nullptr; }

std::uint64_t largest_bytes(const std::vector<SpotCell>& cells) {
  std::uint64_t largest = 1;
  for (const SpotCell& cell : cells) largest = std::max(largest, cell.experiment.size_bytes);
  return largest;
}

// Launches of one rail. `real`: not of a described one.
class SpotRail {
 public:
  SpotRail(std::span<const RailToSample> rails, std::size_t measured,
           const std::vector<SpotCell>& cells, const RealMeans* real)
      : rails_(rails),
        rail_(rails[measured]),
        group_{.measured = measured, .busy = {}},
        cells_(cells),
        steps_(steps_of(cells)),
        real_(real),
        buffers_(real != nullptr ? real->buffers : Buffers::described(largest_bytes(cells))) {
    check_.launches_ns.resize(cells.size());
  }

  bool goes_on() const { return !cells_.empty() && check_.failure.empty(); }
  double longest_ns() const { return longest_ns_; }  // launch
  const SpotCheck& check() const { return check_; }

  // Returns how long it took, 0 if it failed.
  double launch() {
    const Clock& clock = real_ != nullptr
                             ? static_cast<const Clock&>(real_->clock)
                             : static_cast<const Clock&>(*rail_.driver->virtual_clock());
    const auto start_ns = static_cast<double>(clock.now_ns());
    try {
      measure();
    } catch (const Error& error) {
      check_.failure = error.what();
      return 0;
    }
    const double took_ns = static_cast<double>(clock.now_ns()) - start_ns;
    check_.elapsed_ns += took_ns;
    longest_ns_ = std::max(longest_ns_, took_ns);
    return took_ns;
  }

 private:
  std::unique_ptr<Partner> partner() const {
    if (real_ == nullptr) return in_process_partner(group_, rails_, buffers_);
    if (rail_.peer != nullptr) return remote_partner(group_, rails_, real_->cores, real_->clock);
    return fork_partner(group_, rails_, buffers_, real_->cores, real_->clock);
  }

  void measure() {
    try {
      const std::unique_ptr<Partner> other_end = partner();
      PingPong ping_pong(*other_end, buffers_, nullptr);
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
  const RealMeans* real_;
  Buffers buffers_;
  double longest_ns_ = 0;
  SpotCheck check_;
};

}  // namespace

std::vector<SpotCheck> spot_check(std::span<const RailToSample> rails,
                                  std::span<const std::vector<SpotCell>> cells_of_rail,
                                  double budget_ns) {
  std::uint64_t largest = 0;  // of the real rails
  for (std::size_t i = 0; i < rails.size(); ++i) {
    if (!is_described(rails[i])) largest = std::max(largest, largest_bytes(cells_of_rail[i]));
  }
  std::optional<RealMeans> real;
  if (largest > 0) real.emplace(largest);
  std::vector<SpotRail> spots;
  spots.reserve(rails.size());
  for (std::size_t i = 0; i < rails.size(); ++i) {
    spots.emplace_back(rails, i, cells_of_rail[i], is_described(rails[i]) ? nullptr : &*real);
  }
  double elapsed_ns = 0;
  for (std::size_t launch = 0; launch < kSpotLaunches; ++launch) {
    const double limit_ns = launch < kSpotLaunchesLeast ? 3 * budget_ns : budget_ns;
    for (SpotRail& spot : spots) {
      if (!spot.goes_on()) continue;
      if (launch > 0 && elapsed_ns + spot.longest_ns() > limit_ns) continue;
      elapsed_ns += spot.launch();
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
