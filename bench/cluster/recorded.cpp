// SPDX-License-Identifier: BSD-3-Clause
#include "bench/cluster/recorded.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/statistics.h"

namespace nmt::bench {

Recorded read_recorded() {
  std::ifstream file(NMT_RECORDED_LAUNCHES);
  Recorded recorded;
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words(line);
    std::size_t launch = 0;
    RecordedCell cell;
    double duration_ns = 0;
    if (words >> launch >> cell.rail >> cell.method >> cell.size_bytes >> duration_ns) {
      recorded[cell][launch] = duration_ns;
    }
  }
  if (recorded.empty()) {
    std::fprintf(stderr, "cluster: cannot read %s\n", NMT_RECORDED_LAUNCHES);
    std::exit(1);
  }
  return recorded;
}

std::vector<LaunchNoise> launch_noise(const Recorded& recorded) {
  std::vector<LaunchNoise> noise;
  for (const char* rail : {"r0", "r1"}) {
    std::map<std::size_t, double> small, large;  // by launch, the best method
    std::uint64_t least = ~std::uint64_t{0}, most = 0;
    for (const auto& [cell, launches] : recorded) {
      if (cell.rail != rail) continue;
      least = std::min(least, cell.size_bytes);
      most = std::max(most, cell.size_bytes);
    }
    for (const auto& [cell, launches] : recorded) {
      if (cell.rail != rail) continue;
      for (auto* side : {&small, &large}) {
        if (cell.size_bytes != (side == &small ? least : most)) continue;
        for (const auto& [launch, duration_ns] : launches) {
          const auto [entry, first] = side->emplace(launch, std::log(duration_ns));
          if (!first) entry->second = std::min(entry->second, std::log(duration_ns));
        }
      }
    }
    std::vector<double> of_small, of_large;
    for (const auto& [launch, log] : small) of_small.push_back(log);
    for (const auto& [launch, log] : large) of_large.push_back(log);
    for (const auto& [launch, log] : small) {
      const auto other = large.find(launch);
      if (other == large.end()) continue;
      noise.push_back({log - median(of_small), other->second - median(of_large)});
    }
  }
  return noise;
}

std::size_t draw(std::mt19937_64& random, std::size_t below) { return random() % below; }

}  // namespace nmt::bench
