// SPDX-License-Identifier: BSD-3-Clause
#include "engine/pace.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace nmt::engine {
namespace {

constexpr double kFactorMax = 8;      // beyond this the profile is of another rail: sample again
constexpr double kFirstMax = 0.1;     // the first transfer alone may be a disturbed one
constexpr double kSettledMax = 0.05;  // within this of the factor, transfers only differ by chance
constexpr double kSettledWeight = 1.0 / 8;  // of the newest median then

// That of the power of two which is the size or comes before it; nothing counts as one byte.
std::size_t class_below(std::uint64_t size_bytes) {
  return static_cast<std::size_t>(std::bit_width(size_bytes | 1)) - 1;
}

}  // namespace

// The classes of the two powers of two around a size, or of the one that it is.
template <class Change>
void Pace::change_classes(std::uint64_t size_bytes, Change change) {
  const std::size_t below = class_below(size_bytes);
  change(classes_[below]);
  if (size_bytes > 1 && !std::has_single_bit(size_bytes) && below + 1 < kClasses) {
    change(classes_[below + 1]);
  }
}

void Pace::observe(std::uint64_t size_bytes, double predicted_ns, double actual_ns) {
  if (!(predicted_ns > 0)) return;
  const double ratio = std::clamp(actual_ns / predicted_ns, 1 / kFactorMax, kFactorMax);
  knows_any_ = true;
  change_classes(size_bytes, [&](Class& at) { add(at, ratio); });
}

void Pace::pass_over(std::uint64_t size_bytes) {
  change_classes(size_bytes, [](Class& at) { ++at.passed_over; });
}

void Pace::take(std::uint64_t size_bytes) {
  change_classes(size_bytes, [](Class& at) {
    if (at.is_stale()) at.try_again();
    at.passed_over = 0;
  });
}

// Of what was seen, only the factor stays, as if it was seen once: so the next transfer decides.
void Pace::Class::try_again() {
  passed_max *= 2;
  if (observed == 0) return;
  observed = 1;
  recent[0] = factor;
}

void Pace::add(Class& at, double ratio) const {
  at.recent[at.observed++ % kRecent] = ratio;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(at.observed, kRecent));
  std::array<double, kRecent> sorted = at.recent;
  for (std::size_t i = count; i < kRecent; ++i) sorted[i] = std::numeric_limits<double>::max();
  std::ranges::sort(sorted);
  if (estimate_ == Estimate::kShortest) {
    at.factor = count == 1 ? std::min(ratio, 1 + kFirstMax) : sorted[0];
    return;
  }
  if (count == 1) {
    at.factor = 1 + std::clamp(ratio - 1, -kFirstMax, kFirstMax);
    return;
  }
  // Of two, the one that is nearer to the profile.
  const double middle = count > 2                                           ? sorted[count / 2]
                        : std::abs(sorted[0] - 1) < std::abs(sorted[1] - 1) ? sorted[0]
                                                                            : sorted[1];
  const double step = middle - at.factor;
  at.factor += std::abs(step) <= kSettledMax * at.factor && at.observed > kRecent
                   ? kSettledWeight * step
                   : step;
}

double Pace::at_or_near(std::size_t index) const {
  if (classes_[index].is_stale()) return 1;
  for (std::size_t distance = 0; distance < kClasses; ++distance) {
    if (index >= distance && classes_[index - distance].observed > 0) {
      return classes_[index - distance].factor;
    }
    if (index + distance < kClasses && classes_[index + distance].observed > 0) {
      return classes_[index + distance].factor;
    }
  }
  return 1;
}

double Pace::factor(std::uint64_t size_bytes) const {
  if (!knows_any_) return 1;
  const std::size_t below = class_below(size_bytes);
  const double low = at_or_near(below);
  if (size_bytes <= 1 || std::has_single_bit(size_bytes) || below + 1 == kClasses) return low;
  const double high = at_or_near(below + 1);
  if (high == low) return low;
  const double above = std::log2(static_cast<double>(size_bytes)) - static_cast<double>(below);
  return low + above * (high - low);
}

bool Pace::knows(std::uint64_t size_bytes) const {
  return classes_[class_below(size_bytes)].observed > 0;
}

bool Pace::is_sure(std::uint64_t size_bytes) const {
  return classes_[class_below(size_bytes)].observed >= 3;
}

const Pace& Paces::of(SentAs as) const {
  return as == SentAs::kSmall ? small_ : as == SentAs::kWhole ? whole_ : chunk_;
}

// What only the other kind of large transfer has shown is the best guess for this one.
double Paces::factor(SentAs as, std::uint64_t size_bytes) const {
  const Pace& own = of(as);
  if (as == SentAs::kSmall || own.knows(size_bytes)) return own.factor(size_bytes);
  const Pace& other = as == SentAs::kWhole ? chunk_ : whole_;
  return other.knows(size_bytes) || own.factor(size_bytes) == 1 ? other.factor(size_bytes)
                                                                : own.factor(size_bytes);
}

}  // namespace nmt::engine
