// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of a campaign that several ranks of a job measure at the same time, gathered in the profile
// of rank 0.
//
// Each rank stores its own part in memory. Profiles are united by identifier, and equal platforms
// become one (profiledb/profiledb.h).
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "control/control.h"
#include "profiledb/profiledb.h"
#include "tools/command/report.h"
#include "tools/sample/links.h"

namespace nmt::tools {

// The work of one rank; empty if it has none.
struct RankWork {
  std::function<Report(profiledb::ProfileDb& in_memory)> measure;
  std::string far;    // host of the other node, on the near rank
  bool keeps = true;  // whether rank 0 stores its measurements
};

struct Gathered {
  std::map<std::string, std::vector<std::string>> problems;  // by text: the hosts that have it
  std::vector<Link> links;
};

// Called by `ranks`, which have work, and by rank 0; `profile` is rank 0's, and null elsewhere. The
// profile takes one rank's results at a time, so rank 0 needs no more memory for more ranks. On
// rank 0 it throws if the profile refuses results.
Gathered run_shares(const control::MpiJob& job, std::span<const int> ranks, const RankWork& work,
                    profiledb::ProfileDb* profile);

}  // namespace nmt::tools
