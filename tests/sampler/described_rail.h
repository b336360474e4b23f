// SPDX-License-Identifier: BSD-3-Clause
//
// Rail descriptions for the sampler's tests, written to a file as a user would write them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sampler/sampler.h"

namespace nmt::sampler {

// A rail whose copy and iovec cross once near 700 B, and eager and rendezvous near 20 KB.
std::string crossing_rail(const std::string& noise = "{}");

// A fake driver on the given JSON, read back through a temporary file.
std::unique_ptr<drivers::Driver> described(const std::string& json, std::uint64_t seed = 1);

// Keeps what a campaign tells it: the last state of every cell per rail, in order of first sight.
class SampleCollector final : public Observer {
 public:
  void measured(const Rail& rail, std::span<const Sample> cells) override;
  void progress(const Progress& progress) override { seen.push_back(progress); }
  bool interrupted() override { return blocks >= blocks_max; }

  std::vector<Sample> samples(const std::string& rail) const;

  std::vector<Progress> seen;
  std::size_t blocks = 0;
  std::size_t blocks_max = static_cast<std::size_t>(-1);

 private:
  std::map<std::string, std::vector<Sample>> cells_;
};

CampaignReport sample(drivers::Driver& driver, const SamplingOptions& options,
                      SampleCollector& recorder,
                      const std::map<std::string, std::vector<Sample>>& earlier = {});

}  // namespace nmt::sampler
