// SPDX-License-Identifier: BSD-3-Clause
//
// When a cell is precise enough: an object that receives one duration at a time and says whether to
// go on, and why. It has no clock and no rail, so it is tested with plain numbers.
//
// Done when the distribution-free 95 % interval of the median is narrower than required (with at
// least kRepetitionsMin values; with fewer the interval is unreliable), or at the limit, where more
// repetitions would not help (docs/method.md).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace nmt::sampler {

inline constexpr std::size_t kRepetitionsMin = 8;
inline constexpr std::size_t kRepetitionsMax = 200;

class StoppingRule {
 public:
  explicit StoppingRule(double precision, std::size_t repetitions_max = kRepetitionsMax)
      : precision_(precision), repetitions_max_(repetitions_max) {}

  void add(double duration_ns);

  enum class State { kNeedsMore, kPrecise, kCapped };
  State state() const;
  double half_width() const;  // of the interval, relative to the median; 1 without values
  std::size_t count() const { return sorted_ns_.size(); }

 private:
  double precision_;
  std::size_t repetitions_max_;
  std::vector<double> sorted_ns_;
};

std::string_view to_string(StoppingRule::State state);

}  // namespace nmt::sampler
