// SPDX-License-Identifier: BSD-3-Clause
//
// How much longer large transfers of a link take than the profile says, as the ones that came
// through have shown.
//
// A profile is measured once. Since then the machine may have drifted, and what a rail carries
// beside others is known to some percent only: enough to make one of two chunks end later, every
// time by as much. Each transfer is a measurement too, so the next split begins from
// what they were. Per power of two of the size, since a start-up and a bandwidth err differently.
// One transfer moves it little, and one that was disturbed no more than any other; several in a row
// that all differ much move it more and more.
#pragma once

#include <array>
#include <cstdint>

namespace nmt::engine {

class Pace {
 public:
  Pace() { factors_.fill(1); }

  // What durations of the profile are multiplied with.
  double factor(std::uint64_t size_bytes) const { return factors_[class_of(size_bytes)]; }

  // What came through: predicted by the profile alone, and without what it waited for others.
  void observe(std::uint64_t size_bytes, double predicted_ns, double actual_ns);

 private:
  static std::size_t class_of(std::uint64_t size_bytes);

  std::array<double, 64> factors_;
  std::array<unsigned, 64> observed_{};
  std::array<int, 64> in_a_row_{};  // that differed much: longer positive, shorter negative
};

}  // namespace nmt::engine
