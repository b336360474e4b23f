// SPDX-License-Identifier: BSD-3-Clause
#include "bench/sampling/collect.h"

#include <map>

namespace nmt::bench {
namespace {

// Keeps every cell's last state, per rail.
class Collector final : public sampler::Observer {
 public:
  void measured(const Rail& rail, std::span<const Sample> cells) override {
    for (const Sample& cell : cells) {
      cells_[rail.full_name()][{cell.condition, {cell.size_bytes, cell.held_out}}] = cell;
    }
  }
  void progress(const sampler::Progress&) override {}
  bool interrupted() override { return false; }

  std::vector<Sample> samples(const Rail& rail) {
    std::vector<Sample> all;
    for (const auto& [key, cell] : cells_[rail.full_name()]) all.push_back(cell);
    return all;
  }

 private:
  using Key = std::pair<Condition, std::pair<std::uint64_t, bool>>;
  std::map<std::string, std::map<Key, Sample>> cells_;
};

}  // namespace

SampleSet sample_set(const Rail& rail, std::size_t index, std::vector<Sample> samples) {
  SampleSet set;
  set.campaign.id = Id::random();
  set.session.id = Id::random();
  set.path.id.bytes[0] = static_cast<std::uint8_t>(index + 1);
  set.path.from = set.path.to = rail;
  set.samples = std::move(samples);
  return set;
}

Collected collect(std::span<const sampler::RailToSample> rails,
                  const sampler::SamplingOptions& options) {
  Collector collector;
  Collected result;
  result.report = sampler::run_campaign(rails, options, {}, collector);
  for (std::size_t i = 0; i < rails.size(); ++i) {
    result.sets.push_back(sample_set(rails[i].rail, i, collector.samples(rails[i].rail)));
  }
  return result;
}

}  // namespace nmt::bench
