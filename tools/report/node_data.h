// SPDX-License-Identifier: BSD-3-Clause
//
// Data of the page "Node", with the members of `nmad-tune --json`: curves and thresholds of rails,
// what thresholds of others cost there, and predictions beside held-out measurements.
#pragma once

#include <span>
#include <vector>

#include "core/json.h"
#include "core/path_name.h"
#include "core/plan.h"
#include "core/sample.h"
#include "tools/command/named_plans.h"

namespace nmt::tools {

// Each rail once per placement and regime, alone. Of several pairs of nodes, the one that most
// rails were measured between, at most sizes: so the rails shown lead to the same peer where some
// do.
std::vector<RailPlan> shown_rails(const Plan& plan, const std::map<Id, PathName>& names);

// The array "rails": thresholds as `nmad-tune thresholds` has them, and all curves.
json::Value rails_json(const std::vector<NamedPlan>& rails);

// The array "foreign": for each rail and decision, what constants of other stacks and thresholds of
// other rails cost at each size. Hot buffers.
json::Value foreign_json(const std::vector<RailPlan>& rails);

// The array "origins": measured, imported, described ...
json::Value origins_json(std::span<const SampleSet> sets);

// The array "held_out"; of the shown rails.
json::Value held_out_json(const std::vector<RailPlan>& rails, const Plan& plan,
                          std::span<const SampleSet> sets);

}  // namespace nmt::tools
