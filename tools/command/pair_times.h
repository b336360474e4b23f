// SPDX-License-Identifier: BSD-3-Clause
//
// The latency and bandwidth of each pair of nodes in a profile, launch by launch.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "profiledb/profiledb.h"

namespace nmt::tools {

struct PairTimes {
  std::vector<cluster::PairTime> times;
  std::string newest_utc;    // start of the newest campaign between nodes; empty: there is none
  std::size_t left_out = 0;  // campaigns between nodes that started too early
};

// Those of all campaigns that are added.
class PairTimesByCampaign {
 public:
  void add(const SampleSet& set, const PathName& name);
  // Of campaigns that started at `date` or later (UTC, its beginning suffices); empty: within 24
  // hours of the newest one between nodes. Rails of both ends' names and platforms are compared
  // with each other. Throws Error(kUsage) for text that is no date.
  PairTimes since(const std::string& date) const;

 private:
  struct DatedTimes {
    double started_s = 0;
    std::string started_utc;
    std::vector<cluster::PairTime> times;
  };
  std::map<Id, DatedTimes> campaigns_;
};

// Of all campaigns of all platforms.
PairTimes pair_times(const profiledb::ProfileDb& db, const std::string& since);

// Of one set of samples: one time for each size that pairs are compared by. None if it is not of
// two nodes and one rail alone.
std::vector<cluster::PairTime> pair_times(const SampleSet& set, const PathName& name);

// Durations with the best method, in hot buffers, of the sizes that pairs are compared by:
// kLandmarksBytes, the smallest and the largest. Of the trusted() repetitions.
std::map<std::uint64_t, double> landmark_durations_ns(const SampleSet& set);

}  // namespace nmt::tools
