// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/registration.h"

#include <algorithm>
#include <cmath>

#include "core/method.h"

namespace nmt::tuner {
namespace {

constexpr int kSizesPerOctave = 8;

const PlanCurve* find(const RailPlan& rail, std::string_view state) {
  const auto found = std::ranges::find_if(rail.curves, [&](const PlanCurve& curve) {
    return curve.benchmark == benchmark::kRegistration && curve.variant == state;
  });
  return found == rail.curves.end() ? nullptr : &*found;
}

// Duration of an eager message, with the receiver's copy if that was measured.
double eager_ns(const RailPlan& rail, double size_bytes) {
  double best_ns = INFINITY, best_of_transfers_ns = INFINITY;
  for (const PlanCurve& curve : rail.curves) {
    if (curve.method != to_string(Method::kCopy) && curve.method != to_string(Method::kIovec)) {
      continue;
    }
    double* best = curve.benchmark == benchmark::kEager      ? &best_ns
                   : curve.benchmark == benchmark::kTransfer ? &best_of_transfers_ns
                                                             : nullptr;
    if (best != nullptr) *best = std::min(*best, curve.duration.at(size_bytes));
  }
  return best_ns < INFINITY ? best_ns : best_of_transfers_ns;
}

double rendezvous_ns(const RailPlan& rail, double size_bytes) {
  double best_ns = INFINITY;
  for (const PlanCurve& curve : rail.curves) {
    if (curve.benchmark == benchmark::kTransfer && curve.method == to_string(Method::kRendezvous)) {
      best_ns = std::min(best_ns, curve.duration.at(size_bytes));
    }
  }
  return best_ns;
}

// The smallest size from which a rendezvous with this extra cost at each end is faster, up to the
// largest measured size.
std::optional<std::uint64_t> pays_from(const RailPlan& rail, const PlanCurve* more,
                                       const PlanCurve& known) {
  const double largest_bytes = known.duration.points().back().size_bytes;
  std::optional<std::uint64_t> from;
  const double steps = kSizesPerOctave * std::log2(largest_bytes);
  for (int step = 0; step <= static_cast<int>(steps); ++step) {
    const double size_bytes = std::exp2(static_cast<double>(step) / kSizesPerOctave);
    double asked_ns = rendezvous_ns(rail, size_bytes);
    if (more != nullptr) {
      asked_ns += 2 * std::max(0.0, more->duration.at(size_bytes) - known.duration.at(size_bytes));
    }
    if (asked_ns > eager_ns(rail, size_bytes)) {
      from.reset();
    } else if (!from) {
      from = static_cast<std::uint64_t>(std::ceil(size_bytes));
    }
  }
  return from;
}

}  // namespace

std::vector<Registration> registrations(const Plan& plan) {
  std::vector<Registration> all;
  for (const RailPlan& rail : plan.rails) {
    const PlanCurve* cold = find(rail, registration::kCold);
    const PlanCurve* cached = find(rail, registration::kCached);
    if (cold == nullptr || cached == nullptr) continue;
    Registration& one = all.emplace_back();
    one.rail = rail.rail;
    one.regime = rail.regime;
    one.placement = rail.placement;
    for (const Point& point : cold->duration.points()) {
      one.costs.push_back({.size_bytes = static_cast<std::uint64_t>(point.size_bytes),
                           .cold_ns = point.duration_ns,
                           .cached_ns = cached->duration.at(point.size_bytes)});
    }
    one.rendezvous_cached_bytes = pays_from(rail, nullptr, *cached);
    one.rendezvous_cold_bytes = pays_from(rail, cold, *cached);
  }
  return all;
}

}  // namespace nmt::tuner
