// SPDX-License-Identifier: BSD-3-Clause
//
// Prints which nodes, links and rails are out of line, and which pairs to measure next.
#pragma once

#include "cluster/cluster.h"
#include "tools/command/report.h"

namespace nmt {

// {"can_say", "outliers": [...], "next": [...]}, as nmad-tune outliers --json has them.
json::Value outliers_json(const OutlierFindings& findings);

// JSON members as above; CSV has the outliers.
void add_outliers(const OutlierFindings& findings, const OutlierOptions& options, Report* report);

// "node node07", "link node03 - node04 over tcp:e0", "rail tcp:e1 of node05".
std::string name_of(const Outlier& outlier);

}  // namespace nmt
