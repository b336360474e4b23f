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

// One campaign with its default sizes; the published M are 2 and 8 KiB.
TEST(Planted, PublishedStartUpsAreFoundByTheSizesOfACampaign) {
  constexpr std::uint64_t kDraws = 40;
  for (const std::uint64_t delta_from_bytes : {2u << 10, 8u << 10, 32u << 10}) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
      const Measuring campaign = planted::one_campaign();
      const Network network = planted::random_network(campaign, seed, delta_from_bytes);
      const Outcome outcome = planted::fit_planted(network, campaign, seed);
      found += outcome.found_delta && outcome.sizes_off <= 1 ? 1 : 0;
    }
    EXPECT_GE(found, 34) << delta_from_bytes;  // of 95 % at least
  }
}

TEST(Planted, NoDeltaIsInventedWhereThereIsNone) {
  const std::vector<Outcome> all = outcomes(false);
  EXPECT_LE(std::ranges::count(all, true, &Outcome::found_delta), 12);  // of 5 %
  EXPECT_GE(std::ranges::count(all, true, &Outcome::gamma_covered), 87);
  EXPECT_LE(at_quantile(all, &Outcome::gamma_error, 0.9), 0.01);
}

}  // namespace
}  // namespace nmt::contention
