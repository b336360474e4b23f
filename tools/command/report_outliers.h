// SPDX-License-Identifier: BSD-3-Clause
//
// Prints which nodes, links and rails are out of line, and which pairs to measure next.
#pragma once

#include "cluster/cluster.h"
#include "tools/command/report.h"

namespace nmt::tools {

// {"can_say", "outliers": [...], "next": [...]}, as nmad-tune outliers --json has them.
json::Value outliers_json(const cluster::OutlierFindings& findings);

// JSON members as above; CSV has the outliers.
void add_outliers(const cluster::OutlierFindings& findings, const cluster::OutlierOptions& options,
                  Report* report);

// "node node07", "link node03 - node04 over tcp:e0", "rail tcp:e1 of node05".
std::string name_of(const cluster::Outlier& outlier);

}  // namespace nmt::tools
