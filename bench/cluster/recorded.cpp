// SPDX-License-Identifier: BSD-3-Clause
#include "bench/cluster/recorded.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "core/statistics.h"

namespace nmt::bench {

RecordedLaunches read_launches() {
  std::ifstream file(NMT_RECORDED_LAUNCHES);
  RecordedLaunches recorded;
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words(line);
    std::size_t launch = 0;
    int neighbour = 0;
    RecordedCell cell;
    double duration_ns = 0;
    if (words >> launch >> neighbour >> cell.rail >> cell.method >> cell.size_bytes >>
        duration_ns) {
      recorded.durations_ns[cell][launch] = duration_ns;
      if (neighbour > 0) recorded.disturbed.insert(launch);
    }
  }
  if (recorded.durations_ns.empty()) {
    std::fprintf(stderr, "cluster: cannot read %s\n", NMT_RECORDED_LAUNCHES);
    std::exit(1);
  }
  return recorded;
}

Recorded read_recorded() {
  RecordedLaunches all = read_launches();
  for (auto& [cell, launches] : all.durations_ns) {
    std::erase_if(launches, [&](const auto& each) { return all.disturbed.contains(each.first); });
  }
  return std::move(all.durations_ns);
}

std::vector<std::size_t> launches_of(const Recorded& recorded, std::string_view rail) {
  std::set<std::size_t> found;
  for (const auto& [cell, launches] : recorded) {
    if (cell.rail != rail) continue;
    for (const auto& [launch, duration_ns] : launches) found.insert(launch);
  }
  return {found.begin(), found.end()};
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
