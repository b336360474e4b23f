// SPDX-License-Identifier: BSD-3-Clause
//
// Runs our collectives and an MPI's own in turns, over all ranks of a job.
//
// All ranks have the same schedule and shuffle it in the same way, so no rank has to announce the
// next step. A time is that of the slowest rank after a barrier, by each rank's own clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "control/control.h"
#include "sampler/sampler.h"

namespace nmt::tools::bench {

struct CollectiveComparison {
  sampler::CollectiveWay ours;
  std::uint64_t size_bytes = 0;
};

struct ComparisonTimes {
  std::vector<double> ours_ns;  // one per round
  std::vector<double> library_ns;
};

struct ComparisonSchedule {
  std::vector<CollectiveComparison> comparisons;
  std::uint32_t rounds = 1;
  std::uint64_t seed = 1;
};
// How many times its size a rank has in a buffer.
std::uint64_t blocks_of(std::string_view operation, int ranks);

std::string to_text(const ComparisonSchedule& schedule);
ComparisonSchedule schedule_from(const std::string& text);  // text of to_text()

// Called by all ranks; the result is on rank 0.
std::vector<ComparisonTimes> run_comparisons(
    const control::MpiJob& job, const ComparisonSchedule& schedule,
    const decltype(sampler::CollectivesOptions::run)& run_one);

}  // namespace nmt::tools::bench
