// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives by us and by an MPI's own, in turns, over all ranks of a job.
//
// All ranks have the same schedule and shuffle it alike, so that nobody has to tell them what is
// next. A time is that of the slowest rank from a barrier on, by each rank's own clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/control.h"
#include "sampler/sampler.h"

namespace nmt::bench {

struct CollectiveComparison {
  CollectiveWay ours;
  std::uint64_t size_bytes = 0;
};

struct ComparisonTimes {
  std::vector<double> ours_ns;  // one of every round
  std::vector<double> library_ns;
};

struct ComparisonSchedule {
  std::vector<CollectiveComparison> comparisons;
  std::uint32_t rounds = 1;
  std::uint64_t seed = 1;
};
std::string to_text(const ComparisonSchedule& schedule);
ComparisonSchedule schedule_from(const std::string& text);  // as to_text() wrote it

// By all ranks; of each comparison, at the one that leads.
std::vector<ComparisonTimes> run_comparisons(const control::MpiJob& job,
                                             const ComparisonSchedule& schedule,
                                             const decltype(CollectivesOptions::run)& run_one);

}  // namespace nmt::bench
