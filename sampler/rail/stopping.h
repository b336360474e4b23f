// SPDX-License-Identifier: BSD-3-Clause
//
// When a cell is known well enough: an object fed one duration at a time, that says whether to go
// on and why not. It knows no clock and no rail, so it is tested with plain numbers.
//
// Done when the distribution-free 95 % interval of the median is narrower than asked (at least
// kRepetitionsMin values: below that the interval is not to be trusted), or at the cap, where more
// of the same would not help (docs/method.md).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace nmt {

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

}  // namespace nmt
