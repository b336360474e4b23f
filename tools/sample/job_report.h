// SPDX-License-Identifier: BSD-3-Clause
//
// The results of a campaign over all nodes of a job, and rank 0's report of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiledb/profiledb.h"
#include "tools/command/report.h"
#include "tools/sample/job_shares.h"
#include "tools/sample/links.h"

namespace nmt::tools {

struct JobFindings {
  std::string library;  // the MPI's name and version
  int ranks = 0;
  std::size_t cores = 0;  // of all ranks together
  std::size_t nodes = 0;
  std::map<std::string, std::vector<std::string>> problems;  // by text: the hosts that have it
  std::vector<std::string> remarks;
  std::vector<Link> links;
  std::string groups;          // of nodes that share a switch (contention/named_groups.h)
  std::vector<Report> shares;  // of the parts in which all ranks take part
  bool collectives = false;    // were sampled
  int signal = 0;              // that ended it early

  void add(Gathered gathered);
};

// Derives the plan of each platform again, from everything that was gathered.
Report job_report(JobFindings findings, profiledb::ProfileDb& db,
                  const profiledb::Location& profile);

}  // namespace nmt::tools
