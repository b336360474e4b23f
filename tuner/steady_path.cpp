// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/steady_path.h"

#include <algorithm>

namespace nmt::tuner {

std::vector<std::size_t> steady_path(const std::vector<std::vector<double>>& costs, double change) {
  if (costs.empty()) return {};
  std::vector<double> sums = costs.front();  // of the best path that ends with each choice
  std::vector<std::vector<std::size_t>> before;
  for (std::size_t step = 1; step < costs.size(); ++step) {
    const std::size_t best =
        static_cast<std::size_t>(std::ranges::min_element(sums) - sums.begin());
    std::vector<std::size_t>& from = before.emplace_back(sums.size(), best);
    std::vector<double> next = costs[step];
    for (std::size_t choice = 0; choice < next.size(); ++choice) {
      const bool stays = sums[choice] <= sums[best] + change;
      if (stays) from[choice] = choice;
      next[choice] += stays ? sums[choice] : sums[best] + change;
    }
    sums = std::move(next);
  }
  std::vector<std::size_t> path = {
      static_cast<std::size_t>(std::ranges::min_element(sums) - sums.begin())};
  for (std::size_t step = before.size(); step > 0; --step) {
    path.push_back(before[step - 1][path.back()]);
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace nmt::tuner
