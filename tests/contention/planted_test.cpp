// SPDX-License-Identifier: BSD-3-Clause
//
// Planted truth, a hundred networks at a time; bench/alltoall has thousands. Limits are where a
// hundred draws of what is asked for would end up less than once in a thousand times.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/contention/planted.h"

namespace nmt::contention {
namespace {

using planted::Measuring;
using planted::Network;
using planted::Outcome;

constexpr std::uint64_t kSets = 100;

std::vector<Outcome> outcomes(bool with_delta) {
  std::vector<Outcome> all;
  for (std::uint64_t seed = 1; seed <= kSets; ++seed) {
    Network network = planted::random_network({}, seed);
    if (!with_delta) network.delta_ns = 0;
    all.push_back(planted::fit_planted(network, {}, seed));
  }
  return all;
}

double at_quantile(const std::vector<Outcome>& all, double Outcome::*member, double fraction) {
  std::vector<double> values;
  for (const Outcome& outcome : all) values.push_back(outcome.*member);
  return quantile(values, fraction);
}

TEST(Planted, ParametersAreFoundWithinOneAndThreePercent) {
  const std::vector<Outcome> all = outcomes(true);
  EXPECT_LE(at_quantile(all, &Outcome::gamma_error, 0.9), 0.01);
  EXPECT_LE(at_quantile(all, &Outcome::delta_error, 0.9), 0.03);
  EXPECT_GE(std::ranges::count(all, true, &Outcome::found_size), 96);     // of 99 % at least
  EXPECT_GE(std::ranges::count(all, true, &Outcome::found_form), 88);     // of 95 % at least
  EXPECT_GE(std::ranges::count(all, true, &Outcome::gamma_covered), 87);  // of 95 %
  EXPECT_GE(std::ranges::count(all, true, &Outcome::delta_covered), 87);
}

TEST(Planted, NoDeltaIsInventedWhereThereIsNone) {
  const std::vector<Outcome> all = outcomes(false);
  EXPECT_LE(std::ranges::count(all, true, &Outcome::found_delta), 12);  // of 5 %
  EXPECT_GE(std::ranges::count(all, true, &Outcome::gamma_covered), 87);
  EXPECT_LE(at_quantile(all, &Outcome::gamma_error, 0.9), 0.01);
}

}  // namespace
}  // namespace nmt::contention
