// SPDX-License-Identifier: BSD-3-Clause
#include "tests/runtime/cliffs.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/runtime/planted.h"

namespace nmt::planted {
namespace {

const Curve& only_curve(const RailPlan& rail) { return rail.curves.front().duration; }

double end_of(const std::vector<RailPlan>& rails, std::uint64_t first, std::uint64_t size,
              const std::vector<double>& releases_ns) {
  const auto end = [&](std::size_t rail, std::uint64_t bytes) {
    if (bytes == 0) return 0.0;
    return releases_ns[rail] + only_curve(rails[rail]).at(static_cast<double>(bytes));
  };
  return std::max(end(0, first), end(1, size - first));
}

double best_end(const std::vector<RailPlan>& rails, std::uint64_t size,
                const std::vector<double>& releases_ns) {
  std::vector<std::uint64_t> candidates;
  constexpr std::uint64_t kSteps = 2000;
  for (std::uint64_t i = 0; i <= kSteps; ++i) candidates.push_back(size / kSteps * i);
  candidates.push_back(size);
  for (std::size_t rail = 0; rail < 2; ++rail) {
    for (const Point& point : only_curve(rails[rail]).points()) {
      const auto bytes = static_cast<std::uint64_t>(point.size_bytes);
      if (bytes <= size) candidates.push_back(rail == 0 ? bytes : size - bytes);
    }
  }
  double best_ns = std::numeric_limits<double>::infinity();
  for (const std::uint64_t first : candidates) {
    best_ns = std::min(best_ns, end_of(rails, first, size, releases_ns));
  }
  return best_ns;
}

// What nmt_split gives the first of two rails.
std::uint64_t first_share(const Profile& profile, std::uint64_t size,
                          const std::vector<double>& releases_ns) {
  nmt_share shares[2] = {};
  for (int i = 0; i < 2; ++i) {
    shares[i].struct_bytes = sizeof(nmt_share);
    shares[i].path = i;
    shares[i].release_ns = releases_ns[static_cast<std::size_t>(i)];
  }
  nmt_split_result result{};
  result.struct_bytes = sizeof result;
  if (nmt_split(profile.get(), size, shares, 2, &result) != NMT_OK) {
    throw std::runtime_error("nmt_split has no answer for planted rails");
  }
  return shares[0].bytes;
}

}  // namespace

CliffLosses cliff_losses() {
  std::mt19937_64 random(7);
  CliffLosses losses;
  int divisions = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const std::vector<RailPlan> rails = {random_rail(random, "a"), random_rail(random, "b")};
    const Profile profile(plan(rails));
    for (std::uint64_t size = 2048; size <= 1 << 24; size = size * 3 + 1) {
      for (const double share : {0.0, 0.3}) {
        const double whole_ns = only_curve(rails[0]).at(static_cast<double>(size));
        const std::vector<double> releases_ns = {0, share * whole_ns};
        const double end_ns =
            end_of(rails, first_share(profile, size, releases_ns), size, releases_ns);
        const double loss = end_ns / best_end(rails, size, releases_ns) - 1;
        losses.mean += loss;
        losses.worst = std::max(losses.worst, loss);
        ++divisions;
      }
    }
  }
  losses.mean /= divisions;
  return losses;
}

}  // namespace nmt::planted
