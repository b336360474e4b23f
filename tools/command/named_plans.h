// SPDX-License-Identifier: BSD-3-Clause
//
// The rail plans of a profile by name: which node, over which rail, to which peer; those that were
// asked for, and one for each class of pairs that do not differ. And what an answer says of the
// number of ranks per NIC that it was measured with.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/path_name.h"
#include "core/plan.h"
#include "tools/command/options.h"
#include "tools/command/path_choice.h"

namespace nmt::tools {

// --ranks-per-nic: how many ranks of a node use its NIC at once.
struct RanksPerNic {
  std::optional<std::uint64_t> asked;

  std::uint32_t or_any() const;  // as nmt_condition and fit_of_ranks() take it
};
void declare(Options& options, RanksPerNic& target);

// For a heading: ", by 8 ranks per NIC (16 were not measured)"; empty for one rank that suffices.
std::string ranks_text(std::int64_t measured, const RanksPerNic& wanted);

struct PairOptions {
  PathChoice paths;
  bool all = false;  // --all: each pair, not one for a class
  RanksPerNic ranks;
};
void declare(Options& options, PairOptions& target);

struct NamedPlan {
  RailPlan plan;
  PathName name;
  std::size_t pairs = 1;  // paths that this one stands for, itself included
};

// Throws Error(kUsage) with the nearest name if a host or a path is not among them.
std::vector<NamedPlan> named_plans(const std::vector<RailPlan>& plans,
                                   const std::map<Id, PathName>& names, const PairOptions& options);

// "node07 tcp:e0 -> node12", and how many pairs it stands for: ", and 43 pairs like it".
std::string title_of(const NamedPlan& plan);

// The columns that name a path in CSV, and the members in JSON: node, peer, peer_rail, path, pairs,
// ranks_per_nic. An absent peer is null.
void add_name_columns(std::vector<std::string>* header);
void add_name_cells(const NamedPlan& plan, std::vector<json::Value>* row);
void add_name_members(const NamedPlan& plan, json::Value* object);

}  // namespace nmt::tools
