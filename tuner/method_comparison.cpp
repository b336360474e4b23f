// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/method_comparison.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/statistics.h"
#include "tuner/tuner.h"

namespace nmt::tuner {
namespace {

struct Contender {
  const Rounds* rounds = nullptr;
  const CurveKey* key = nullptr;
};

std::vector<double> logs(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double value : values) result.push_back(std::log(value));
  return result;
}

std::vector<MethodComparison::Round> shared_rounds(const Rounds& below, const Rounds& above) {
  std::vector<MethodComparison::Round> shared;
  for (const auto& [round, durations] : below) {
    const auto same = above.find(round);
    if (same != above.end()) shared.push_back({logs(durations), logs(same->second)});
  }
  return shared;
}

// Adds the ratios of one round to `ratios`. Each repetition is compared with the nearest ones in
// time of the other side, up to a limit, because all pairs of a long round would be quadratic.
void add_ratios(const MethodComparison::Round& round, std::vector<double>& ratios) {
  constexpr std::size_t kNearest = 16;
  const std::size_t n = round.below.size();
  const std::size_t m = round.above.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < std::min(kNearest, m); ++k) {
      ratios.push_back(round.above[(i * m / n + k) % m] - round.below[i]);
    }
  }
}

// Half the distance between the order statistics that lie one standard deviation of rank from the
// middle. The share of pairs above the true ratio is the Mann-Whitney statistic, summed over
// rounds. Its variance is sum n m (n + m + 1) / 12 pairs, for any distribution of the repetitions.
double standard_error(std::span<const MethodComparison::Round> rounds) {
  std::vector<double> ratios;
  double pairs = 0;
  double variance = 0;
  for (const MethodComparison::Round& round : rounds) {
    add_ratios(round, ratios);
    const double n = static_cast<double>(round.below.size());
    const double m = static_cast<double>(round.above.size());
    pairs += n * m;
    variance += n * m * (n + m + 1) / 12;
  }
  const double off = std::min(0.5, std::sqrt(variance) / pairs);
  return (quantile(ratios, 0.5 + off) - quantile(ratios, 0.5 - off)) / 2;
}

bool is_faster(const Rounds& a, const Rounds& b) {
  const std::vector<MethodComparison::Round> rounds = shared_rounds(b, a);
  if (!rounds.empty()) return log_ratio_of(rounds) < 0;
  return median(all_durations(a)) < median(all_durations(b));
}

// The best candidate of this side at this size.
Contender best(const Candidates& side, const Cells& cells, std::uint64_t size_bytes) {
  Contender winner;
  for (const auto& [key, by_size] : cells) {
    if (!competes(key.benchmark, key.method, side)) continue;
    const auto rounds = by_size.find(size_bytes);
    if (rounds == by_size.end()) continue;
    if (winner.rounds == nullptr || is_faster(rounds->second, *winner.rounds)) {
      winner = {&rounds->second, &key};
    }
  }
  return winner;
}

bool was_measured(const Candidates& side, std::string_view method, const Cells& cells,
                  std::uint64_t size_bytes) {
  return std::any_of(cells.begin(), cells.end(), [&](const auto& curve) {
    return curve.first.benchmark == side.benchmark && curve.first.method == method &&
           curve.second.contains(size_bytes);
  });
}

// Duration of a transfer, if there are samples on both sides of the size.
std::optional<double> transfer_ns(std::span<const PlanCurve> curves, std::string_view method,
                                  double size_bytes) {
  for (const PlanCurve& curve : curves) {
    if (curve.benchmark != benchmark::kTransfer || curve.method != method) continue;
    const std::span<const Point> points = curve.duration.points();
    if (size_bytes < points.front().size_bytes || size_bytes > points.back().size_bytes) continue;
    return curve.duration.at(size_bytes);
  }
  return std::nullopt;
}

// Factor by which a side would be faster with a method that was not measured at this size,
// estimated from the transfers of both methods. The rest of the benchmark (a copy at the receiver,
// a second packet) is the same. 1 if the missing method is slower; mostly it is, which is why the
// sampler left it out.
double gain_of_missing(const Candidates& side, const Contender& winner, const Cells& cells,
                       std::uint64_t size_bytes, std::span<const PlanCurve> curves) {
  if (side.benchmark == benchmark::kTransfer) return 1;
  const int packets = side.benchmark == benchmark::kAggregate ? 2 : 1;
  const double packet_bytes = packets * static_cast<double>(size_bytes);
  const std::optional<double> present_ns = transfer_ns(curves, winner.key->method, packet_bytes);
  const double whole_ns = median(all_durations(*winner.rounds));
  double gain = 1;
  for (const std::string_view method : side.methods) {
    if (was_measured(side, method, cells, size_bytes)) continue;
    const std::optional<double> missing_ns = transfer_ns(curves, method, packet_bytes);
    if (!present_ns || !missing_ns) continue;
    const double instead_ns = std::max(*missing_ns, whole_ns + *missing_ns - *present_ns);
    gain = std::min(gain, instead_ns / whole_ns);
  }
  return gain;
}

}  // namespace

std::array<Candidates, 2> candidates(DecisionKind kind) {
  const Candidates copy = {benchmark::kTransfer, {to_string(Method::kCopy)}};
  const Candidates iovec = {benchmark::kTransfer, {to_string(Method::kIovec)}};
  const Candidates rendezvous = {benchmark::kTransfer, {to_string(Method::kRendezvous)}};
  const auto assembled = [](std::string_view benchmark) -> Candidates {
    return {benchmark, {to_string(Method::kCopy), to_string(Method::kIovec)}};
  };
  switch (kind) {
    case DecisionKind::kIovec:
      return {copy, iovec};
    case DecisionKind::kRendezvous:
      return {assembled(benchmark::kEager), rendezvous};
    case DecisionKind::kAggregation:
      return {assembled(benchmark::kAggregate), assembled(benchmark::kTwoPackets)};
  }
  NMT_CHECK(!"decision kind");
  return {};
}

bool competes(std::string_view benchmark, std::string_view method, const Candidates& side) {
  return benchmark == side.benchmark &&
         std::find(side.methods.begin(), side.methods.end(), method) != side.methods.end();
}

std::optional<MethodComparison> compare_methods(DecisionKind kind, const Cells& cells,
                                                std::uint64_t size_bytes,
                                                std::span<const PlanCurve> curves) {
  const auto [below_side, above_side] = candidates(kind);
  const Contender below = best(below_side, cells, size_bytes);
  const Contender above = best(above_side, cells, size_bytes);
  if (below.rounds == nullptr || above.rounds == nullptr) return std::nullopt;
  MethodComparison comparison{.size_bytes = size_bytes,
                              .rounds = shared_rounds(*below.rounds, *above.rounds)};
  if (comparison.rounds.empty()) return std::nullopt;
  const double below_gain = gain_of_missing(below_side, below, cells, size_bytes, curves);
  const double above_gain = gain_of_missing(above_side, above, cells, size_bytes, curves);
  for (MethodComparison::Round& round : comparison.rounds) {
    for (double& duration : round.below) duration += std::log(below_gain);
    for (double& duration : round.above) duration += std::log(above_gain);
  }
  comparison.below_ns = median(all_durations(*below.rounds)) * below_gain;
  comparison.log_ratio = log_ratio_of(comparison.rounds);
  comparison.standard_error = standard_error(comparison.rounds);
  return comparison;
}

double log_ratio_of(std::span<const MethodComparison::Round> rounds) {
  std::vector<double> ratios;
  for (const MethodComparison::Round& round : rounds) add_ratios(round, ratios);
  return median(ratios);
}

double slowdown(double log_ratio, bool chose_above) {
  return std::expm1(std::max(0.0, chose_above ? log_ratio : -log_ratio));
}

double regret(double log_ratio, bool chose_above) {
  const double slower = slowdown(log_ratio, chose_above);
  return slower > kEquivalence ? slower : 0;
}

}  // namespace nmt::tuner
