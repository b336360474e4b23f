// SPDX-License-Identifier: BSD-3-Clause
//
// The two sides of a comparison over time: two profiles, or campaigns of one.
//
// Durations are those of all campaigns of a side, launch by launch. Plans are those in force where
// a side is a whole profile, as nmad-tune thresholds prints them; of chosen campaigns they are
// derived.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
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

struct DiffCell {
  std::string path;  // "node07 tcp:e0 -> node12"
  std::string rail;
  std::string benchmark, method, variant, regime;
  std::uint64_t size_bytes = 0;
  auto operator<=>(const DiffCell&) const = default;
};

// What one launch measured of one cell.
struct LaunchMedian {
  DiffCell cell;
  std::pair<std::string, Id> launch;  // when it started
  double duration_ns = 0;
};

class DiffSide {
 public:
  std::string what;  // for messages: the file, "campaigns since 2026-11-24"
  std::vector<LaunchMedian> medians;
  // Of each node ("node07", "") and its rails ("node07", "tcp:e0"), the newest.
  std::map<std::pair<std::string, std::string>, Fields> fingerprints;
  std::map<std::string, RailPlan> plans;  // by path, regime and placement
  // Of its campaigns: "disturbed", "tcp:e0: counted 12 symbol_error".
  std::set<std::string> remarks;

  // What a campaign of this platform measured on one path; ignored if it is no rail between two
  // ends.
  void add(const Platform& platform, const SampleSet& set, const std::map<Id, PathName>& names);
  // The plans of paths that have none yet.
  void add(const Plan& plan, const std::map<Id, PathName>& names);

 private:
  std::map<std::pair<std::string, std::string>, std::string> dated_;  // of fingerprints
};

// Before and after. Throws Error(kUsage) if the choice names no two sides, or a date or a campaign
// that is not there, or if nothing is pinned; Error(kDatabase) if a side has no campaign, or a
// profile cannot be read.
std::pair<DiffSide, DiffSide> choose_sides(const DiffChoice& choice, const ProfileOptions& profile,
                                           const Invocation& invocation);

}  // namespace nmt::tools
