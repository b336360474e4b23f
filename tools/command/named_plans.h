// SPDX-License-Identifier: BSD-3-Clause
//
// The rail plans of a profile by name: which node, over which rail, to which peer; those that were
// asked for, and one for each class of pairs that do not differ.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/path_name.h"
#include "core/plan.h"
#include "tools/command/options.h"

namespace nmt::tools {

struct PairOptions {
  std::string node;  // --node: a host at either end
  std::string peer;  // --peer: the host at the other end
  std::string path;  // --path: the beginning of an identifier, or the name as it is printed
  bool all = false;  // --all: each pair, not one for a class
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

// The columns that name a path in CSV, and the members in JSON: node, peer, peer_rail, path, pairs.
// An absent peer is null.
void add_name_columns(std::vector<std::string>* header);
void add_name_cells(const NamedPlan& plan, std::vector<json::Value>* row);
void add_name_members(const NamedPlan& plan, json::Value* object);

}  // namespace nmt::tools
