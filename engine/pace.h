// SPDX-License-Identifier: BSD-3-Clause
//
// How much longer large transfers of a link take than the profile says, learned from transfers that
// have completed.
//
// A profile is measured once. Since then the machine may have drifted, and the speed of a rail
// beside others is known to some percent only. That is enough to make one of two chunks always end
// later. So each transfer also serves as a measurement for the next split. The factor is kept per
// power of two of the size, because start-up and bandwidth have different errors. One transfer
// changes it little, even a disturbed one. Several transfers in a row that all differ much change
// it more and more.
#pragma once

#include <array>
#include <cstdint>

namespace nmt::engine {

class Pace {
 public:
  Pace() { factors_.fill(1); }

  // Multiply durations of the profile by this.
  double factor(std::uint64_t size_bytes) const { return factors_[class_of(size_bytes)]; }

  // A completed transfer. `predicted_ns` is by the profile alone; `actual_ns` excludes waiting for
  // others.
  void observe(std::uint64_t size_bytes, double predicted_ns, double actual_ns);

 private:
  static std::size_t class_of(std::uint64_t size_bytes);

  std::array<double, 64> factors_;
  std::array<unsigned, 64> observed_{};
  std::array<int, 64> in_a_row_{};  // that differed much; > 0: longer, < 0: shorter
};

}  // namespace nmt::engine
