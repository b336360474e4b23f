// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/lent_thresholds.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "core/sample.h"

namespace nmt::tuner {
namespace {

// What two paths must have in common for one to decide as the other.
auto like(const RailPlan& plan) {
  return std::tie(plan.rail, plan.regime, plan.placement, plan.busy_rails, plan.ranks_per_nic,
                  plan.max_unexpected_bytes);
}

bool has_only_landmarks(const RailPlan& plan) {
  std::set<double> sizes_bytes;
  for (const PlanCurve& curve : plan.curves) {
    if (curve.benchmark != benchmark::kTransfer) continue;
    for (const Point& point : curve.duration.points()) sizes_bytes.insert(point.size_bytes);
  }
  return sizes_bytes.size() <= std::size(kLandmarksBytes);
}

// Mean difference of logarithms; infinite if the other has none of its methods.
double distance(const RailPlan& plan, const RailPlan& other) {
  double sum = 0;
  int points = 0;
  for (const PlanCurve& curve : plan.curves) {
    if (curve.benchmark != benchmark::kTransfer) continue;
    const PlanCurve* theirs = other.find_curve(curve.benchmark, curve.method);
    if (theirs == nullptr) continue;
    for (const Point& point : curve.duration.points()) {
      sum += std::abs(std::log(point.duration_ns / theirs->duration.at(point.size_bytes)));
      ++points;
    }
  }
  return points > 0 ? sum / points : std::numeric_limits<double>::infinity();
}

}  // namespace

void lend_thresholds(std::vector<RailPlan>* rails) {
  std::vector<RailPlan*> borrowers;
  std::map<decltype(like(rails->front())), std::vector<const RailPlan*>> lenders;
  for (RailPlan& plan : *rails) {
    if (has_only_landmarks(plan)) {
      borrowers.push_back(&plan);
    } else {
      lenders[like(plan)].push_back(&plan);
    }
  }
  for (RailPlan* borrower : borrowers) {
    double least = std::numeric_limits<double>::infinity();
    for (const RailPlan* lender : lenders[like(*borrower)]) {
      const double here = distance(*borrower, *lender);
      if (here >= least) continue;
      least = here;
      borrower->thresholds = lender->thresholds;
    }
  }
}

}  // namespace nmt::tuner
