// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/alltoall_grid.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "core/alltoall.h"
#include "core/statistics.h"

namespace nmt::sampler {
namespace {

constexpr double kNeighbours = 1.5;     // sizes closer than this factor are neighbours
constexpr std::uint64_t kRoundTo = 64;  // a cache line

// Ratios along one axis, grouped by the rest of their condition.
struct Known {
  double log_multiple = 0;
  double relative_half_width = 0;
};
template <typename Axis>
using Lines = std::map<std::pair<std::string, std::uint64_t>, std::map<Axis, Known>>;

// The difference of two that exceeds their uncertainty, with its sign.
double sure_step(const Known& from, const Known& to) {
  const double step = to.log_multiple - from.log_multiple;
  return std::copysign(
      std::max(0.0, std::abs(step) - std::hypot(from.relative_half_width, to.relative_half_width)),
      step);
}

// The same for two values of the axis: the median over all groups that have both.
template <typename Axis>
double step_between(const Lines<Axis>& lines, Axis low, Axis high) {
  std::vector<double> steps;
  for (const auto& [shared, line] : lines) {
    const auto from = line.find(low);
    const auto to = line.find(high);
    if (from != line.end() && to != line.end()) {
      steps.push_back(sure_step(from->second, to->second));
    }
  }
  return steps.empty() ? 0 : std::abs(median(steps));
}

int middle_of(int low, int high, int ranks_per_node) {
  const double nodes = std::sqrt(static_cast<double>(low) * high) / ranks_per_node;
  const int middle = static_cast<int>(std::lround(nodes)) * ranks_per_node;
  if (middle > low && middle < high) return middle;
  return high - low > ranks_per_node ? low + ranks_per_node : 0;
}

std::uint64_t middle_of(std::uint64_t low_bytes, std::uint64_t high_bytes) {
  const double low = static_cast<double>(low_bytes);
  const double high = static_cast<double>(high_bytes);
  if (high < kNeighbours * low) return 0;
  const auto lines = static_cast<std::uint64_t>(std::lround(std::sqrt(low * high) / kRoundTo));
  const std::uint64_t middle_bytes = lines * kRoundTo;
  return middle_bytes > low_bytes && middle_bytes < high_bytes ? middle_bytes : 0;
}

struct Gap {
  double step = 0;
  NextAlltoall middle;
};

// A middle for every two neighbours that differ, if there is one.
template <typename Axis>
void add_gaps(const Lines<Axis>& lines, const std::function<NextAlltoall(Axis, Axis)>& middle,
              std::vector<Gap>& gaps) {
  std::set<Axis> values;
  for (const auto& [shared, line] : lines) {
    for (const auto& [value, known] : line) values.insert(value);
  }
  for (auto low = values.begin(), high = low; low != values.end(); low = high) {
    if (++high == values.end()) break;
    const double step = step_between(lines, *low, *high);
    const NextAlltoall between = middle(*low, *high);
    if (step >= kTellable && between != NextAlltoall{}) gaps.push_back({step, between});
  }
}

}  // namespace

std::span<const std::uint64_t> usual_sizes_bytes(int ranks) {
  const std::span<const std::uint64_t> all = kAlltoallSizesBytes;
  std::size_t sizes = all.size();
  const auto room_bytes = [&] { return all[sizes - 1] * static_cast<std::uint64_t>(ranks); };
  while (sizes > kAlltoallSizesMin && room_bytes() > kAlltoallBufferBytesMax) --sizes;
  return all.first(sizes);
}

std::vector<NextAlltoall> least_known(const std::vector<BoundMultiple>& measured,
                                      int ranks_per_node, Open open) {
  Lines<int> by_ranks;
  Lines<std::uint64_t> by_size;
  for (const BoundMultiple& one : measured) {
    auto& line = by_ranks[{one.algorithm, one.size_bytes}];
    const Known known = {std::log(one.of_bound), one.relative_half_width};
    line[2 * ranks_per_node] = {};
    line[one.ranks] = known;
    const auto ranks = static_cast<std::uint64_t>(one.ranks);
    by_size[{one.algorithm, ranks}][one.size_bytes] = known;
  }
  std::vector<Gap> gaps;
  if (open.ranks) {
    add_gaps<int>(
        by_ranks,
        [&](int low, int high) {
          return NextAlltoall{.ranks = middle_of(low, high, ranks_per_node)};
        },
        gaps);
  }
  if (open.sizes) {
    add_gaps<std::uint64_t>(
        by_size,
        [](std::uint64_t low, std::uint64_t high) {
          return NextAlltoall{.size_bytes = middle_of(low, high)};
        },
        gaps);
  }
  std::ranges::stable_sort(gaps, std::greater{}, &Gap::step);
  std::vector<NextAlltoall> wanted;
  for (const Gap& gap : gaps) wanted.push_back(gap.middle);
  return wanted;
}

}  // namespace nmt::sampler
