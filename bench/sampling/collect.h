// SPDX-License-Identifier: BSD-3-Clause
//
// Campaigns in memory: what benchmarks judge without a profile database.
#pragma once

#include <span>
#include <vector>

#include "core/sample.h"
#include "sampler/sampler.h"

namespace nmt::bench {

struct Collected {
  sampler::CampaignReport report;
  std::vector<SampleSet> sets;  // one per rail, in order; path ids are the rails' indices plus one
};

Collected collect(std::span<const sampler::RailToSample> rails,
                  const sampler::SamplingOptions& options);

SampleSet sample_set(const Rail& rail, std::size_t index, std::vector<Sample> samples);

}  // namespace nmt::bench
