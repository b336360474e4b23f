// SPDX-License-Identifier: BSD-3-Clause
#include "bench/sampling/planted.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>

#include "bench/sampling/collect.h"
#include "core/error.h"
#include "core/statistics.h"
#include "drivers/fake/description.h"
#include "tuner/tuner.h"

namespace nmt::bench {
namespace {

constexpr std::uint64_t kJudgedBytesMax = std::uint64_t{1} << 20;
constexpr std::size_t kJudgedSizes = 200;

std::vector<std::uint64_t> judged_sizes() {
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i < kJudgedSizes; ++i) {
    const double exponent = std::log2(double(kJudgedBytesMax)) * double(i) / (kJudgedSizes - 1);
    const auto size = static_cast<std::uint64_t>(std::llround(std::exp2(exponent)));
    if (sizes.empty() || sizes.back() != size) sizes.push_back(size);
  }
  return sizes;
}

std::string temporary_file(const std::string& content) {
  char file[] = "/tmp/nmadtune-bench-XXXXXX";
  const int descriptor = ::mkstemp(file);
  NMT_CHECK(descriptor >= 0);
  ::close(descriptor);
  std::ofstream(file) << content;
  return file;
}

Collected launch(const std::string& file, std::uint64_t seed, double budget_ns) {
  const auto driver = drivers::make_fake_driver(file, seed);
  std::vector<sampler::RailToSample> rails;
  for (const Rail& rail : driver->detect().rails) rails.push_back({driver.get(), rail});
  // The budget is meant per rail: a file describes several machines, not one.
  return collect(rails, {.budget_ns = budget_ns * double(rails.size()), .seed = seed});
}

double eager_ns(const drivers::FakeRail& rail, double size) {
  return std::min(rail.transfer_ns(Method::kCopy, size), rail.transfer_ns(Method::kIovec, size)) +
         rail.unexpected_copy_ns(size);
}

double aggregate_ns(const drivers::FakeRail& rail, double size) {
  return std::min(rail.aggregate_ns(Method::kCopy, 2, 2 * size),
                  rail.aggregate_ns(Method::kIovec, 2, 2 * size));
}

double two_packets_ns(const drivers::FakeRail& rail, double size) {
  double best_ns = INFINITY;
  for (const Method method : {Method::kCopy, Method::kIovec}) {
    best_ns =
        std::min(best_ns, rail.transfer_ns(method, size) + rail.second_packet_ns(method, size));
  }
  return best_ns;
}

// True durations of a decision's two choices at a size; false where there is no choice to make.
bool truth_of(const drivers::FakeRail& rail, const RailPlan& plan, DecisionKind kind,
              std::uint64_t bytes, double* below_ns, double* above_ns) {
  const double size = static_cast<double>(bytes);
  switch (kind) {
    case DecisionKind::kIovec:
      *below_ns = rail.transfer_ns(Method::kCopy, size);
      *above_ns = rail.transfer_ns(Method::kIovec, size);
      return true;
    case DecisionKind::kRendezvous:
      if (bytes > plan.max_unexpected_bytes) return false;
      *below_ns = eager_ns(rail, size);
      *above_ns = rail.transfer_ns(Method::kRendezvous, size);
      return true;
    case DecisionKind::kAggregation: {
      const Threshold* rendezvous = plan.find_threshold(DecisionKind::kRendezvous);
      if (rendezvous != nullptr && rendezvous->choice_at(2 * bytes) == "rendezvous") return false;
      *below_ns = aggregate_ns(rail, size);
      *above_ns = two_packets_ns(rail, size);
      return true;
    }
  }
  return false;
}

void judge_decisions(const drivers::FakeRail& rail, const RailPlan& plan, PlantedResult* result) {
  for (const Threshold& threshold : plan.thresholds) {
    for (const std::uint64_t size : judged_sizes()) {
      double below_ns = 0;
      double above_ns = 0;
      if (!truth_of(rail, plan, threshold.kind, size, &below_ns, &above_ns)) continue;
      const bool chose_below = threshold.choice_at(size) == choices(threshold.kind).below;
      const double chosen_ns = chose_below ? below_ns : above_ns;
      result->regrets.push_back(chosen_ns / std::min(below_ns, above_ns) - 1);
    }
  }
}

// Relative errors of the transfer curves at sizes that were not measured; with the sign kept.
std::vector<double> curve_errors(const drivers::FakeRail& rail, const RailPlan& plan) {
  std::vector<double> errors;
  for (const PlanCurve& curve : plan.curves) {
    const auto method = parse_method(curve.method);
    if (curve.benchmark != benchmark::kTransfer || !method) continue;
    for (const std::uint64_t bytes : judged_sizes()) {
      const double size = static_cast<double>(bytes);
      const auto points = curve.duration.points();
      if (std::any_of(points.begin(), points.end(),
                      [&](const Point& point) { return point.size_bytes == size; })) {
        continue;
      }
      errors.push_back(curve.duration.at(size) / rail.transfer_ns(*method, size) - 1);
    }
  }
  return errors;
}

std::vector<double> absolute(std::vector<double> values, double centre) {
  for (double& value : values) value = std::abs((1 + value) / (1 + centre) - 1);
  return values;
}

}  // namespace

PlantedResult run_planted(const std::string& json_text, const std::vector<std::uint64_t>& seeds,
                          double budget_ns) {
  const std::string file = temporary_file(json_text);
  const json::Value document = json::parse(json_text, "planted rails");
  const drivers::FakeDescription description =
      drivers::fake_description_from_json(json::Reader(document, "planted rails"));
  std::vector<SampleSet> sets;
  PlantedResult result;
  for (const std::uint64_t seed : seeds) {
    for (SampleSet& set : launch(file, seed, budget_ns).sets) sets.push_back(std::move(set));
  }
  std::remove(file.c_str());
  const Plan plan = tuner::derive_plan(Id{}, sets, {});
  for (const RailPlan& rail_plan : plan.rails) {
    if (rail_plan.regime != "hot") continue;
    const auto rail = std::find_if(
        description.rails.begin(), description.rails.end(),
        [&](const drivers::FakeRail& each) { return "fake:" + each.name == rail_plan.rail; });
    NMT_CHECK(rail != description.rails.end());
    judge_decisions(*rail, rail_plan, &result);
    // The launch's factor is the median of all signed errors: what is left is the curve's own.
    const std::vector<double> errors = curve_errors(*rail, rail_plan);
    const double speed = median(errors);
    result.speed_errors.push_back(std::abs(speed));
    for (const double error : absolute(errors, speed)) result.curve_errors.push_back(error);
  }
  return result;
}

}  // namespace nmt::bench
