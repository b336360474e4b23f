// SPDX-License-Identifier: BSD-3-Clause
//
// The two sides of a comparison over time: two profiles, or campaigns of one.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/fields.h"
#include "core/path_name.h"
#include "core/plan.h"
#include "core/sample.h"
#include "tools/command/command.h"
#include "tools/tune/subcommands.h"

namespace nmt::tools {

struct DiffChoice {
  std::vector<std::string> sides;  // files of profiles, or identifiers of campaigns
  std::string since;               // a date
  bool pinned = false;
};

struct NamedSet {
  PathName name;
  SampleSet set;
};

class DiffSide {
 public:
  std::string what;  // for messages: the file, "campaigns since 2026-11-24"
  std::vector<NamedSet> sets;
  std::map<std::string, Fields> fingerprints;  // "node07", "node07 tcp:e0"; the newest of each

  // Derived from the sets; by path, regime and placement ("node07 tcp:e0 -> node12").
  const std::map<std::string, RailPlan>& plans() const { return plans_; }
  void derive_plans();

 private:
  std::map<std::string, RailPlan> plans_;
};

// Before and after. Throws Error(kUsage) if the choice names no two sides, or a date or a campaign
// that is not there; Error(kDatabase) if nothing is pinned, or a profile cannot be read.
std::pair<DiffSide, DiffSide> diff_sides(const DiffChoice& choice, const ProfileOptions& profile,
                                         const Invocation& invocation);

}  // namespace nmt::tools
