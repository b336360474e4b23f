// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/verify.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/statistics.h"
#include "tuner/method_comparison.h"
#include "tuner/pool.h"
#include "tuner/thresholds.h"

namespace nmt::tuner {
namespace {

// Repetitions in one measurement of a held-out size: the usual number in one round.
std::size_t repetitions_per_measurement(const CellsBySize& held_out) {
  std::vector<double> counts;
  for (const auto& [size_bytes, rounds] : held_out) {
    for (const auto& [round, durations] : rounds) {
      counts.push_back(static_cast<double>(durations.size()));
    }
  }
  return static_cast<std::size_t>(median(counts));
}

// Medians of `repetitions` repetitions each, from one round or from as many successive rounds as
// needed; one median of all if there are fewer.
std::vector<double> measurements(const Rounds& rounds, std::size_t repetitions) {
  std::vector<double> results;
  std::vector<double> collected;
  for (const auto& [round, durations] : rounds) {
    collected.insert(collected.end(), durations.begin(), durations.end());
    if (collected.size() < repetitions) continue;
    collected.resize(repetitions);
    results.push_back(median(collected));
    collected.clear();
  }
  if (results.empty()) results.push_back(median(collected));
  return results;
}

// For each size measured more than once: the median difference of successive measurements.
void add_noise(const CellsBySize& cells, std::size_t repetitions, std::vector<double>& noise) {
  for (const auto& [size_bytes, rounds] : cells) {
    const std::vector<double> values = measurements(rounds, repetitions);
    std::vector<double> differences;
    for (std::size_t i = 1; i < values.size(); ++i) {
      differences.push_back(std::abs(values[i] / values[i - 1] - 1));
    }
    if (!differences.empty()) noise.push_back(median(differences));
  }
}

// For each held-out size: the median error of the prediction against its measurements.
void add_errors(const Curve& curve, const CellsBySize& held_out, std::size_t repetitions,
                std::vector<double>& errors) {
  for (const auto& [size_bytes, rounds] : held_out) {
    const double predicted_ns = curve.at(static_cast<double>(size_bytes));
    std::vector<double> of_size;
    for (const double measured_ns : measurements(rounds, repetitions)) {
      of_size.push_back(std::abs(predicted_ns / measured_ns - 1));
    }
    errors.push_back(median(of_size));
  }
}

std::optional<Verification::Prediction> verify_method(const RailPlan& rail,
                                                      const RailSamples& samples, Method method) {
  std::vector<double> errors;
  std::vector<double> noise;
  for (const PlanCurve& curve : rail.curves) {
    if (curve.benchmark != benchmark::kTransfer || curve.method != to_string(method)) continue;
    const CurveKey key{curve.benchmark, curve.method, curve.variant};
    const auto held_out = samples.held_out.find(key);
    if (held_out == samples.held_out.end()) continue;
    const std::size_t repetitions = repetitions_per_measurement(held_out->second);
    add_errors(curve.duration, held_out->second, repetitions, errors);
    add_noise(held_out->second, repetitions, noise);
    const auto sampled = samples.sampled.find(key);
    if (sampled != samples.sampled.end()) add_noise(sampled->second, repetitions, noise);
  }
  if (errors.empty()) return std::nullopt;
  return Verification::Prediction{.rail = rail.rail,
                                  .method = std::string(to_string(method)),
                                  .regime = rail.regime,
                                  .sizes = errors.size(),
                                  .error_median = median(errors),
                                  .error_p95 = quantile(errors, 0.95),
                                  .noise_floor = noise.empty() ? 0 : median(noise)};
}

// Regret that both halves of the rounds show. Regret in only one half is noise, because the
// smallest of noisy durations favours the side that was not chosen. A single round is taken as it
// is.
double repeated_regret(const MethodComparison& comparison, bool chose_above) {
  if (comparison.rounds.size() < 2) return regret(comparison.log_ratio, chose_above);
  std::array<std::vector<MethodComparison::Round>, 2> halves;
  for (std::size_t i = 0; i < comparison.rounds.size(); ++i)
    halves[i % 2].push_back(comparison.rounds[i]);
  return std::min(regret(log_ratio_of(halves[0]), chose_above),
                  regret(log_ratio_of(halves[1]), chose_above));
}

std::optional<Verification::Decision> verify_decision(const RailPlan& rail,
                                                      const RailSamples& samples,
                                                      const Threshold& threshold) {
  const DecisionKind kind = threshold.kind;
  const auto forced = forced_from(kind, rail.max_unexpected_bytes, rail.thresholds);
  std::vector<std::uint64_t> sizes_bytes;
  for (const auto& [key, by_size] : samples.held_out) {
    for (const auto& [size_bytes, rounds] : by_size) sizes_bytes.push_back(size_bytes);
  }
  std::sort(sizes_bytes.begin(), sizes_bytes.end());
  sizes_bytes.erase(std::unique(sizes_bytes.begin(), sizes_bytes.end()), sizes_bytes.end());

  std::vector<double> regrets;
  for (const std::uint64_t size_bytes : sizes_bytes) {
    if (forced && size_bytes >= *forced) break;
    const auto comparison = compare_methods(kind, samples.held_out, size_bytes, rail.curves);
    if (!comparison) continue;
    const bool above = threshold.choice_at(size_bytes) == choices(kind).above;
    regrets.push_back(repeated_regret(*comparison, above));
  }
  if (regrets.empty()) return std::nullopt;
  return Verification::Decision{.rail = rail.rail,
                                .kind = std::string(to_string(kind)),
                                .regime = rail.regime,
                                .sizes = regrets.size(),
                                .regret_median = median(regrets),
                                .regret_p95 = quantile(regrets, 0.95)};
}

const RailPlan* find_rail(const Plan& plan, const RailSamples& samples) {
  for (const RailPlan& rail : plan.rails) {
    if (rail.path == samples.path && rail.regime == samples.regime &&
        rail.placement == samples.placement && rail.busy_rails == samples.busy_rails &&
        rail.ranks_per_nic == samples.ranks_per_nic) {
      return &rail;
    }
  }
  return nullptr;
}

}  // namespace

Verification verify(const Plan& plan, std::span<const SampleSet> sets) {
  Verification verification;
  for (const RailSamples& samples : pool(sets)) {
    const RailPlan* rail = find_rail(plan, samples);
    if (rail == nullptr) continue;
    for (const Method method : kMethods) {
      if (auto prediction = verify_method(*rail, samples, method)) {
        verification.predictions.push_back(std::move(*prediction));
      }
    }
    for (const Threshold& threshold : rail->thresholds) {
      if (auto decision = verify_decision(*rail, samples, threshold)) {
        verification.decisions.push_back(std::move(*decision));
      }
    }
  }
  return verification;
}

std::vector<HeldOut> held_out(const Plan& plan, std::span<const SampleSet> sets) {
  std::vector<HeldOut> points;
  for (const RailSamples& samples : pool(sets)) {
    const RailPlan* rail = find_rail(plan, samples);
    if (rail == nullptr || !rail->is_alone()) continue;
    for (const PlanCurve& curve : rail->curves) {
      if (curve.benchmark != benchmark::kTransfer) continue;
      const auto cells = samples.held_out.find({curve.benchmark, curve.method, curve.variant});
      if (cells == samples.held_out.end()) continue;
      for (const auto& [size_bytes, rounds] : cells->second) {
        points.push_back({.rail = rail->rail,
                          .path = rail->path,
                          .regime = rail->regime,
                          .method = curve.method,
                          .size_bytes = size_bytes,
                          .measured_ns = median(all_durations(rounds)),
                          .predicted_ns = curve.duration.at(static_cast<double>(size_bytes))});
      }
    }
  }
  return points;
}

}  // namespace nmt::tuner
