// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/check_rails.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "core/error.h"
#include "core/statistics.h"
#include "node/node.h"
#include "sampler/sampler.h"
#include "tools/peer/rail_negotiation.h"
#include "tools/sample/rail_choice.h"
#include "tools/sample/sampling_config.h"

namespace nmt::tools {
namespace {

constexpr double kCellNsMax = 16e6;           // a longer message leaves no time for others
constexpr double kDecisionNsMax = 4e6;        // the same of those on which decisions hang
constexpr std::size_t kDecisionCellsMax = 6;  // of a rail

// Whether it was measured in so many launches that a check can call it slower or faster.
bool tells(const CellBaseline& cell) {
  return cell.launches_ns.size() >= cluster::kProfileLaunchesMin;
}

// By size, of the methods that were measured often enough the fastest, else the fastest of all.
std::map<std::uint64_t, CellKey> best_by_size(const Baseline& baseline, double duration_ns_max) {
  std::map<std::uint64_t, CellKey> best;
  const auto rank = [&](const CellKey& key) {
    const CellBaseline& cell = baseline.at(key);
    return std::pair(!tells(cell), median(cell.launches_ns));
  };
  for (const auto& [key, cell] : baseline) {
    if (median(cell.launches_ns) > duration_ns_max) continue;
    const auto [entry, first] = best.emplace(key.size_bytes, key);
    if (!first && rank(key) < rank(entry->second)) entry->second = key;
  }
  return best;
}

// The cells that tell most, each once.
std::vector<std::pair<CellKey, std::string>> cells_that_tell(const Baseline& baseline,
                                                             const CheckedProfile& reference,
                                                             const std::string& rail) {
  std::vector<std::pair<CellKey, std::string>> cells;
  const auto add = [&](const CellKey& key, const std::string& why) {
    const bool known =
        std::ranges::any_of(cells, [&](const auto& each) { return each.first == key; });
    if (!known && cells.size() < kDecisionCellsMax + 2) cells.emplace_back(key, why);
  };
  const std::map<std::uint64_t, CellKey> best = best_by_size(baseline, kCellNsMax);
  if (best.empty()) return cells;
  const auto often = [&](const auto& each) { return tells(baseline.at(each.second)); };
  const auto smallest = std::ranges::find_if(best, often);
  const auto largest = std::find_if(best.rbegin(), best.rend(), often);
  add((smallest != best.end() ? *smallest : *best.begin()).second, "latency");
  add((largest != best.rend() ? *largest : *best.rbegin()).second, "bandwidth");
  const std::map<std::uint64_t, CellKey> short_ones = best_by_size(baseline, kDecisionNsMax);
  for (const auto& [kind, bytes] : reference.thresholds(rail)) {
    const auto after = short_ones.lower_bound(bytes);
    if (after == short_ones.end()) continue;
    for (const auto& [key, cell] : baseline) {  // both sides, at the size of the change
      if (key.size_bytes != after->first) continue;
      if (median(cell.launches_ns) <= kDecisionNsMax) add(key, kind);
    }
  }
  return cells;
}

std::optional<sampler::Experiment> experiment_of(const CellKey& key,
                                                 const sampler::RailToSample& rail) {
  const std::optional<Method> method = parse_method(key.method);
  if (!method) return std::nullopt;
  sampler::Experiment experiment{.method = *method, .size_bytes = key.size_bytes};
  if (key.variant.empty()) return experiment;
  const auto variants = rail.driver->variants(rail.rail, *method);
  const auto found = std::ranges::find(variants, key.variant);
  if (found == variants.end()) return std::nullopt;
  experiment.variant = static_cast<std::uint8_t>(found - variants.begin());
  return experiment;
}

std::vector<cluster::CellLaunches> launches_of(const Baseline& baseline) {
  std::vector<cluster::CellLaunches> cells;
  for (const auto& [key, cell] : baseline) cells.push_back({key.size_bytes, cell.launches_ns});
  return cells;
}

RailFinding finding_of(const Rail& rail, const std::vector<CheckedCell>& cells) {
  const auto any = [&](cluster::Spot spot) {
    return std::ranges::any_of(cells,
                               [&](const CheckedCell& each) { return each.verdict.spot == spot; });
  };
  const bool slower = any(cluster::Spot::kSlower), faster = any(cluster::Spot::kFaster);
  return {.name = rail.full_name(),
          .fingerprint = rail.fingerprint,
          .slower = slower,
          .agrees = !slower && !faster && any(cluster::Spot::kAgrees)};
}

// A rail and what the profile says of it.
class RailCheck {
 public:
  RailCheck(const sampler::RailToSample& rail, const std::string& peer,
            const CheckedProfile& reference)
      : rail_(rail.rail),
        title_(rail_.full_name() + (peer.empty() ? "" : " to " + peer)),
        baseline_(reference.baseline(rail_.full_name(), peer)) {
    for (const auto& [key, figure] : cells_that_tell(baseline_, reference, rail_.full_name())) {
      const auto experiment = experiment_of(key, rail);
      if (!experiment) continue;
      const CellBaseline& before = baseline_.at(key);
      const std::uint32_t exchanges = before.batch / sampler::operations(*experiment);
      to_measure_.push_back({*experiment, std::max(1u, exchanges), median(before.launches_ns)});
      cells_.push_back({title_, key, figure, {}});
    }
  }

  const std::vector<sampler::SpotCell>& to_measure() const { return to_measure_; }

  void judge(const sampler::SpotCheck& now, double tolerance, CheckFindings* findings) {
    const std::string why = cells_.empty() ? "the profile has no measurement of it" : now.failure;
    if (!why.empty()) {
      findings->not_checked.push_back(title_ + ": " + why);
      return;
    }
    const std::vector<cluster::CellLaunches> launches = launches_of(baseline_);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const CellKey& key = cells_[i].cell;
      const cluster::SpotLimits limits{.tolerance = tolerance,
                                       .usual_spread = cluster::usual_spread_near(
                                           key.size_bytes, launches, cluster::kProfileLaunchesMin)};
      cells_[i].verdict =
          cluster::judge_spot(baseline_.at(key).launches_ns, now.launches_ns[i], limits);
    }
    findings->elapsed_ns += now.elapsed_ns;
    findings->rails.push_back(finding_of(rail_, cells_));
    findings->cells.insert(findings->cells.end(), cells_.begin(), cells_.end());
  }

 private:
  Rail rail_;
  std::string title_;
  Baseline baseline_;
  std::vector<sampler::SpotCell> to_measure_;
  std::vector<CheckedCell> cells_;
};

void check_rails(std::span<const sampler::RailToSample> rails, const std::string& peer,
                 const CheckedProfile& reference, double budget_ns, double tolerance,
                 CheckFindings* findings) {
  std::vector<RailCheck> checks;
  std::vector<std::vector<sampler::SpotCell>> to_measure;
  for (const sampler::RailToSample& each : rails) {
    to_measure.push_back(checks.emplace_back(each, peer, reference).to_measure());
  }
  std::vector<node::LinkErrors> counted;
  for (const auto& each : rails) counted.push_back(each.driver->link_errors(each.rail));
  const std::vector<sampler::SpotCheck> now = sampler::spot_check(rails, to_measure, budget_ns);
  for (std::size_t i = 0; i < rails.size(); ++i) {
    checks[i].judge(now[i], tolerance, findings);
    node::LinkErrors since =
        node::errors_since(counted[i], rails[i].driver->link_errors(rails[i].rail));
    since.erase("tcp_retransmits");  // which any loaded TCP has
    if (since.empty()) continue;
    findings->link_errors.push_back(rails[i].rail.full_name() + " counted " + node::to_text(since));
  }
}

}  // namespace

double CheckTime::to_measure_ns() const {
  constexpr double kToEnd = 0.1;  // of the budget: to release the peer, and to record
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start_;
  return std::max(budget_ns_ / 2, (1 - kToEnd) * budget_ns_ - spent.count());
}

CheckFindings check_node(const SampleOptions& options, const CheckedProfile& reference,
                         const CheckTime& time) {
  CheckFindings findings;
  const RailChoice choice = choose_rails(options.rails, options.seed ? *options.seed : 1);
  check_rails(choice.rails, "", reference, time.to_measure_ns(), options.tolerance, &findings);
  findings.not_checked.push_back("rails between nodes: not without --peer HOST");
  return findings;
}

CheckFindings check_peer(const SampleOptions& options, const CheckedProfile& reference,
                         const CheckTime& time, const Invocation& invocation) {
  CheckFindings findings;
  ReachedPeer reached(options.peer, invocation.tool);
  control::Connection& peer = reached.connection();
  RailNegotiation negotiation = negotiate_as_near(peer, invocation.tool, options.rails);
  SamplingConfig config{.sampling = options.sampling, .session = {}};
  config.sampling.confirm = true;
  config.sampling.budget_ns = time.to_measure_ns();
  config.session.clock = "confirm";
  send_config(peer, to_json(config));
  std::vector<sampler::RailToSample> rails;
  for (const SharedRail& each : negotiation.rails) rails.push_back({each.driver, each.rail, &peer});
  check_rails(rails, negotiation.node.host, reference, time.to_measure_ns(), options.tolerance,
              &findings);
  sampler::end_spot_checks(peer);
  reached.leave();
  return findings;
}

}  // namespace nmt::tools
