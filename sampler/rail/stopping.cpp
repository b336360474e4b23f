// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/rail/stopping.h"

#include <algorithm>

#include "core/statistics.h"

namespace nmt::sampler {

void StoppingRule::add(double duration_ns) {
  sorted_ns_.insert(std::upper_bound(sorted_ns_.begin(), sorted_ns_.end(), duration_ns),
                    duration_ns);
}

double StoppingRule::half_width() const {
  if (sorted_ns_.empty()) return 1;
  const double middle_ns = median(sorted_ns_);
  const Interval interval = median_interval(sorted_ns_);
  return middle_ns > 0 ? (interval.high - interval.low) / 2 / middle_ns : 0;
}

StoppingRule::State StoppingRule::state() const {
  if (count() >= kRepetitionsMin && half_width() <= precision_) return State::kPrecise;
  return count() >= repetitions_max_ ? State::kCapped : State::kNeedsMore;
}

std::string_view to_string(StoppingRule::State state) {
  switch (state) {
    case StoppingRule::State::kNeedsMore:
      return "out of time";
    case StoppingRule::State::kPrecise:
      return "precise";
    case StoppingRule::State::kCapped:
      return "capped";
  }
  return {};
}

}  // namespace nmt::sampler
