// SPDX-License-Identifier: BSD-3-Clause
//
// Shares of a campaign that several ranks of a job measure at the same time, gathered in the
// profile of rank 0.
//
// Each rank keeps its own in memory; profiles unite by identifier, and equal platforms fold into
// one (profiledb/profiledb.h).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "control/control.h"
#include "profiledb/profiledb.h"
#include "tools/command/report.h"
#include "tools/sample/links.h"

namespace nmt {

// What one rank has to do; empty where it has nothing.
struct RankWork {
  std::function<Report(ProfileDb& in_memory)> measure;
  std::string far;    // the other node, of whoever leads there
  bool keeps = true;  // whether rank 0 wants what it measured
};

struct Gathered {
  std::map<std::string, std::vector<std::string>> problems;  // what went wrong, on which hosts
  std::vector<Link> links;
};

// By all ranks; `profile` is rank 0's, and null elsewhere. Throws there what its profile cannot
// take.
Gathered run_shares(const control::MpiJob& job, const RankWork& work, ProfileDb* profile);

}  // namespace nmt
