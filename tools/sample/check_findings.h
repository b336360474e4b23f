// SPDX-License-Identifier: BSD-3-Clause
//
// What `nmad-sample --confirm` found, and its short forms: a word, a line, and the text file that
// Prometheus reads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "core/fields.h"
#include "tools/sample/checked_profile.h"

namespace nmt::tools {

struct CheckedCell {
  std::string rail;
  CellKey cell;
  std::string figure;  // latency, bandwidth, or the decision that hangs on it
  cluster::SpotVerdict verdict;
};

struct RailFinding {
  std::string name;
  Fields fingerprint;   // now
  bool slower = false;  // one of its cells is
  bool agrees = false;  // none of its cells is slower or faster, and one at least agrees
};

struct CheckFindings {
  std::vector<CheckedCell> cells;
  std::vector<RailFinding> rails;        // that were checked
  std::vector<std::string> not_checked;  // rails, with the reason
  std::vector<std::string> link_errors;  // that were counted meanwhile
  double elapsed_ns = 0;

  std::size_t count(cluster::Spot spot) const;
  bool any(cluster::Spot spot) const { return count(spot) > 0; }
};

// slower, faster, confirmed or not checked.
std::string state_of(const CheckFindings& findings);

std::string line_of(const CheckFindings& findings, double tolerance);

// In the format of the node exporter's textfile collector: what was compared, and how much was not.
// `now_s`: seconds since 1970.
std::string prometheus_text(const CheckFindings& findings, bool two_alarms, double now_s);

// A ratio as a change: "+12 %".
std::string percent(double ratio);

}  // namespace nmt::tools
