// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/named_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "cluster/cluster.h"

namespace nmt::tools {
namespace {

PathName name_of(const RailPlan& plan, const std::map<Id, PathName>& names) {
  const auto found = names.find(plan.path);
  if (found != names.end()) return found->second;
  PathName unknown;
  unknown.rail = plan.rail;
  return unknown;
}

}  // namespace

std::uint32_t RanksPerNic::or_any() const {
  constexpr std::uint64_t kMost = UINT32_MAX;
  return static_cast<std::uint32_t>(std::min(asked.value_or(0), kMost));
}

void declare(Options& options, RanksPerNic& target) {
  options.count(
      "--ranks-per-nic", target.asked,
      "ranks of a node that use the rail at once (default: one)\n"
      "What was measured with the most ranks up to N answers, or else with the fewest; the "
      "output says how many that were.");
}

std::string ranks_text(std::int64_t measured, const RanksPerNic& wanted) {
  const std::uint64_t asked = wanted.or_any();
  const bool differs = asked != 0 && asked != static_cast<std::uint64_t>(measured);
  if (measured == 1 && !differs) return "";
  return fmt::format(", by {} rank{} per NIC{}", measured, measured == 1 ? "" : "s",
                     differs ? fmt::format(" ({} were not measured)", asked) : "");
}

void declare(Options& options, PairOptions& target) {
  declare(options, target.paths);
  options.flag("--all", target.all,
               "print every pair of nodes, also pairs that do not differ\n"
               "Pairs of nodes of the same platforms, over the same rail, whose latency and "
               "bandwidth differ by less than the noise of a repetition are printed once.");
  declare(options, target.ranks);
}

std::vector<NamedPlan> named_plans(const std::vector<RailPlan>& plans,
                                   const std::map<Id, PathName>& names,
                                   const PairOptions& options) {
  std::map<Id, PathName> paths;
  for (const RailPlan& plan : plans) paths.emplace(plan.path, name_of(plan, names));
  const std::set<Id> chosen = chosen_paths(paths, options.paths);
  std::vector<RailPlan> wanted;
  std::ranges::copy_if(plans, std::back_inserter(wanted),
                       [&](const RailPlan& plan) { return chosen.contains(plan.path); });
  std::vector<NamedPlan> named;
  if (options.all) {
    for (const RailPlan& plan : wanted) named.push_back({plan, name_of(plan, names)});
    return named;
  }
  for (const cluster::PairClass& each : cluster::pair_classes(wanted, names)) {
    const RailPlan& plan = wanted[each.members.front()];
    named.push_back({plan, name_of(plan, names), each.members.size()});
  }
  return named;
}

std::string title_of(const NamedPlan& plan) {
  std::string title = to_string(plan.name);
  if (plan.pairs == 1) return title;
  const std::size_t others = plan.pairs - 1;
  const char* what = plan.name.peer.empty() ? "node" : "pair";
  return fmt::format("{}, and {} {}{} like it", title, others, what, others == 1 ? "" : "s");
}

void add_name_columns(std::vector<std::string>* header) {
  header->insert(header->end(), {"node", "peer", "peer_rail", "path", "pairs", "ranks_per_nic"});
}

void add_name_cells(const NamedPlan& plan, std::vector<json::Value>* row) {
  const auto far = [&](const std::string& text) {
    return plan.name.peer.empty() ? json::Value() : json::Value(text);
  };
  row->insert(row->end(), {plan.name.node, far(plan.name.peer), far(plan.name.peer_rail),
                           plan.plan.path.hex(), plan.pairs, plan.plan.ranks_per_nic});
}

void add_name_members(const NamedPlan& plan, json::Value* object) {
  std::vector<std::string> names;
  std::vector<json::Value> cells;
  add_name_columns(&names);
  add_name_cells(plan, &cells);
  for (std::size_t i = 0; i < names.size(); ++i) object->set(names[i], cells[i]);
}

}  // namespace nmt::tools
