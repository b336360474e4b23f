// SPDX-License-Identifier: BSD-3-Clause
#include "tests/sampler/described_rail.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "core/error.h"

namespace nmt::sampler {

std::string crossing_rail(const std::string& noise) {
  return R"({"seed":7,"rails":[{"name":"myri","methods":{
    "copy":[[1,3000],[1024,3800],[4096,6000],[65536,60000],[16777216,14400000]],
    "iovec":[[1,3200],[1024,3700],[4096,5500],[65536,52000],[16777216,13600000]],
    "rendezvous":[[1,9000],[1024,9500],[16384,22000],[65536,50000],[16777216,13500000]],
    "memcpy":[[1,20],[1024,100],[65536,9000],[16777216,3000000]]},
    "noise":)" +
         noise + "}]}";
}

std::unique_ptr<drivers::Driver> described(const std::string& json, std::uint64_t seed) {
  char file[] = "/tmp/nmadtune-described-XXXXXX";
  const int descriptor = ::mkstemp(file);
  NMT_CHECK(descriptor >= 0);
  ::close(descriptor);
  std::ofstream(file) << json;
  auto driver = drivers::make_fake_driver(file, seed);
  std::remove(file);
  return driver;
}

void SampleCollector::measured(const Rail& rail, std::span<const Sample> cells) {
  ++blocks;
  std::vector<Sample>& known = cells_[rail.full_name()];
  for (const Sample& cell : cells) {
    const auto same = std::find_if(known.begin(), known.end(), [&](const Sample& other) {
      return other.condition == cell.condition && other.size_bytes == cell.size_bytes &&
             other.held_out == cell.held_out;
    });
    if (same == known.end()) {
      known.push_back(cell);
    } else {
      *same = cell;
    }
  }
}

std::vector<Sample> SampleCollector::samples(const std::string& rail) const {
  const auto found = cells_.find(rail);
  return found == cells_.end() ? std::vector<Sample>{} : found->second;
}

CampaignReport sample(drivers::Driver& driver, const SamplingOptions& options,
                      SampleCollector& recorder,
                      const std::map<std::string, std::vector<Sample>>& earlier) {
  std::vector<RailToSample> rails;
  for (const Rail& rail : driver.detect().rails) rails.push_back({&driver, rail});
  return run_campaign(rails, options, earlier, recorder);
}

}  // namespace nmt::sampler
