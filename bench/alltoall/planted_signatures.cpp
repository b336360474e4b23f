// SPDX-License-Identifier: BSD-3-Clause
//
// What fits make of networks that are known: 5 % noise, sessions, outliers (tests/contention).
#include <algorithm>
#include <string>
#include <vector>

#include "bench/alltoall/groups.h"
#include "bench/row.h"
#include "core/statistics.h"
#include "core/units.h"
#include "tests/contention/planted.h"

namespace nmt::bench {
namespace {

using planted::Outcome;

constexpr std::uint64_t kSets = 2000;
constexpr char kGroup[] = "alltoall";

std::vector<Outcome> outcomes(bool with_delta) {
  std::vector<Outcome> all;
  for (std::uint64_t seed = 1; seed <= kSets; ++seed) {
    planted::Network network = planted::random_network({}, seed);
    if (!with_delta) network.delta_ns = 0;
    all.push_back(planted::fit_planted(network, {}, seed));
  }
  return all;
}

double percent(const std::vector<Outcome>& all, bool Outcome::*member) {
  return 100.0 * static_cast<double>(std::ranges::count(all, true, member)) /
         static_cast<double>(all.size());
}

double percent(const std::vector<Outcome>& all, double Outcome::*member, double fraction) {
  std::vector<double> values;
  for (const Outcome& outcome : all) values.push_back(100 * (outcome.*member));
  return quantile(values, fraction);
}

void print_share(const std::string& name, double value, Goal goal, double limit) {
  print_row(kGroup, name, value, "%", goal, limit);
}

void print_coverage(const std::string& what, double value) {
  print_share("planted: 95 % interval of " + what + " holds it, at least", value, Goal::kAtLeast,
              93);
  print_share("planted: 95 % interval of " + what + " holds it, at most", value, Goal::kAtMost, 97);
}

// By one campaign with its default sizes.
void print_published_start_ups() {
  constexpr std::uint64_t kDraws = 300;
  const planted::Measuring campaign = planted::one_campaign();
  for (const std::uint64_t delta_from_bytes : {2u << 10, 8u << 10, 32u << 10}) {
    double found = 0;
    for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
      const Outcome outcome = planted::fit_planted(
          planted::random_network(campaign, seed, delta_from_bytes), campaign, seed);
      found += outcome.found_delta && outcome.sizes_off <= 1 ? 1 : 0;
    }
    print_share("planted: M of " + format_bytes(delta_from_bytes) + " found within one size",
                100 * found / kDraws, Goal::kAtLeast, 95);
  }
}

}  // namespace

void planted_signatures() {
  const std::vector<Outcome> with = outcomes(true);
  const std::vector<Outcome> without = outcomes(false);
  print_share("planted: error of gamma, median", percent(with, &Outcome::gamma_error, 0.5),
              Goal::kAtMost, 1);
  print_share("planted: error of gamma, 95th percentile",
              percent(with, &Outcome::gamma_error, 0.95), Goal::kAtMost, 1);
  print_share("planted: error of delta, median", percent(with, &Outcome::delta_error, 0.5),
              Goal::kAtMost, 3);
  print_share("planted: error of delta, 95th percentile",
              percent(with, &Outcome::delta_error, 0.95), Goal::kAtMost, 3);
  print_share("planted: M exact", percent(with, &Outcome::found_size), Goal::kAtLeast, 99);
  print_share("planted: right form of delta", percent(with, &Outcome::found_form), Goal::kAtLeast,
              95);
  print_coverage("gamma", percent(with, &Outcome::gamma_covered));
  print_coverage("delta", percent(with, &Outcome::delta_covered));
  print_coverage("gamma without a delta", percent(without, &Outcome::gamma_covered));
  print_published_start_ups();
  print_share("planted: a delta is invented", percent(without, &Outcome::found_delta),
              Goal::kAtMost, 6);
}

}  // namespace nmt::bench
