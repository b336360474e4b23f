// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/paper_split.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nmt::runtime {
namespace {

double end_alone(const PaperRail& rail, double size_bytes) {
  return size_bytes > 0 ? rail.release_ns + rail.duration.at(size_bytes) : 0;
}

double asymptotic_bandwidth(const PaperRail& rail) { return 1 / rail.duration.slope_beyond(); }

}  // namespace

double dichotomy(const PaperRail& first, const PaperRail& second, double size_bytes) {
  // A rail that is released after the other has carried everything carries nothing.
  if (second.release_ns >= end_alone(first, size_bytes)) return size_bytes;
  if (first.release_ns >= end_alone(second, size_bytes)) return 0;
  double low = 0;
  double high = size_bytes;
  while (high - low > 0.5) {
    const double middle = low + (high - low) / 2;
    const double difference_ns = first.release_ns + first.duration.at(middle) -
                                 (second.release_ns + second.duration.at(size_bytes - middle));
    (difference_ns < 0 ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

std::vector<double> by_asymptotic_bandwidths(std::span<const PaperRail> rails, double size_bytes) {
  std::vector<std::size_t> order(rails.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return rails[a].release_ns < rails[b].release_ns;
  });
  std::vector<double> chunks(rails.size());
  double left = size_bytes;
  double bandwidths = 0;  // of the rails that have joined
  for (std::size_t step = 0; step < order.size() && left > 0; ++step) {
    bandwidths += asymptotic_bandwidth(rails[order[step]]);
    const double next_ns = step + 1 < order.size() ? rails[order[step + 1]].release_ns
                                                   : std::numeric_limits<double>::infinity();
    const double step_bytes =
        std::min(left, bandwidths * (next_ns - rails[order[step]].release_ns));
    for (std::size_t i = 0; i <= step; ++i) {
      chunks[order[i]] += asymptotic_bandwidth(rails[order[i]]) / bandwidths * step_bytes;
    }
    left -= step_bytes;
  }
  return chunks;
}

double end_of(std::span<const PaperRail> rails, std::span<const double> chunks) {
  double end_ns = 0;
  for (std::size_t i = 0; i < rails.size(); ++i) {
    end_ns = std::max(end_ns, end_alone(rails[i], chunks[i]));
  }
  return end_ns;
}

}  // namespace nmt::runtime
