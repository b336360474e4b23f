// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/advice.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "core/collective_sample.h"
#include "core/site_switch.h"
#include "include/nmadtune.h"

namespace nmt::collectives {
namespace {

constexpr std::uint64_t kWithoutEnd = ~std::uint64_t{0};
constexpr std::uint64_t kTriedSegmentBytes = 64 << 10;  // paper "HierKNEM", 4.2, figure 2

constexpr std::array<std::string_view, kOperations.size()> kNames = {
    "bcast",          "reduce",    "allreduce", "allgather", "alltoall",
    "alltoallv",      "barrier",   "gather",    "scatter",   "reduce_scatter_block",
    "reduce_scatter", "allgatherv"};

std::optional<Operation> parse_operation(std::string_view text) {
  const auto name = std::ranges::find(kNames, text);
  if (name == kNames.end()) return std::nullopt;
  return static_cast<Operation>(name - kNames.begin());
}

// False if the name is too long to be one that is known here.
bool name_algorithm(Rule& rule, std::string_view algorithm) {
  if (algorithm.size() >= sizeof rule.algorithm) return false;
  std::memcpy(rule.algorithm, algorithm.data(), algorithm.size());
  return true;
}

// nullopt for an answer that gives no rule.
std::optional<Rule> rule_from(const nmt_collective_rule& said) {
  const std::optional<Operation> operation = parse_operation(said.operation);
  const std::string_view algorithm = said.algorithm;
  if (!operation || algorithm.empty() || algorithm == kLibraryAlgorithm) return std::nullopt;
  Rule rule{.operation = *operation,
            .nodes = static_cast<std::int32_t>(said.nodes),
            .ranks_per_node = static_cast<std::int32_t>(said.ranks_per_node),
            .leaders = static_cast<std::int32_t>(std::max(1u, said.leaders)),
            .nodes_max = static_cast<std::int32_t>(said.nodes_max),
            .ranks_per_node_max = static_cast<std::int32_t>(said.ranks_per_node_max),
            .from_bytes = said.from_bytes,
            .to_bytes = said.to_bytes,
            .segment_bytes = said.segment_bytes};
  if (!name_algorithm(rule, algorithm)) return std::nullopt;
  return rule;
}

// Adds a name to a list of different names.
void add_name(std::string& names, std::string_view mpi) {
  const std::string name = mpi.empty() ? "an unknown MPI" : std::string(mpi);
  if (names.find(name) != std::string::npos) return;
  names += (names.empty() ? "" : " and ") + name;
}

// Empty if the profile is of this machine as it is now.
std::string reason_for_doubt(const nmt_profile* profile) {
  nmt_description described{};
  described.struct_bytes = sizeof described;
  nmt_difference changed{};
  changed.struct_bytes = sizeof changed;
  if (nmt_describe(profile, &described) != NMT_OK || described.unconfirmed == 0 ||
      nmt_describe_difference(profile, 0, &changed) != NMT_OK) {
    return "";
  }
  const auto text = [](const char* value) { return value != nullptr ? value : "unknown"; };
  return std::string(changed.field) + " was " + text(changed.measured) + ", here it is " +
         text(changed.here) +
         "; the profile's collectives are used, unconfirmed (nmad-sample --confirm)";
}

// A rule without a number of nodes is for any shape.
ShapeRange shapes_of(const Rule& rule) {
  constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max();
  if (rule.nodes == 0) return {1, kAny, 1, kAny};
  return {.nodes = static_cast<std::uint32_t>(rule.nodes),
          .nodes_last = static_cast<std::uint32_t>(std::max(rule.nodes, rule.nodes_max)),
          .ranks_per_node = static_cast<std::uint32_t>(rule.ranks_per_node),
          .ranks_per_node_last =
              static_cast<std::uint32_t>(std::max(rule.ranks_per_node, rule.ranks_per_node_max))};
}

// `ranks_per_node` is the maximum over nodes; each node has at least one rank.
MergedRanges::Range ranks_of(const ShapeRange& shapes) {
  return {.from = std::uint64_t{shapes.nodes} - 1 + shapes.ranks_per_node,
          .to = std::uint64_t{shapes.nodes_last} * shapes.ranks_per_node_last + 1};
}

// The rules at the sizes that some other rule of the operation covers.
std::vector<Rule> cut_to(const std::vector<Rule>& others, const std::vector<Rule>& rules) {
  std::vector<Rule> all;
  for (const Rule& rule : rules) {
    for (const Rule& other : others) {
      Rule both = rule;
      both.from_bytes = std::max(rule.from_bytes, other.from_bytes);
      both.to_bytes = std::min(rule.to_bytes, other.to_bytes);
      if (other.operation == rule.operation && both.from_bytes < both.to_bytes) all.push_back(both);
    }
  }
  return all;
}

}  // namespace

std::string_view to_string(Operation operation) {
  return kNames[static_cast<std::size_t>(operation)];
}

Advice advice_from_profile(std::string_view mpi) {
  char message[512] = "";
  nmt_open_options options{};
  options.struct_bytes = sizeof options;
  options.refuse_foreign = 1;
  options.message = message;
  options.message_bytes = sizeof message;
  nmt_profile* opened = nullptr;
  if (nmt_open(&options, &opened) != NMT_OK) {
    return {.warning = std::string(message) + "; the MPI's own collectives are used"};
  }
  const std::unique_ptr<nmt_profile, void (*)(nmt_profile*)> profile(opened, nmt_close);
  Advice advice;
  advice.warning = reason_for_doubt(profile.get());
  nmt_collective_rule said{};
  said.struct_bytes = sizeof said;
  bool of_this_mpi = false;
  std::string others;
  std::uint32_t index = 0;
  for (; nmt_describe_collective(profile.get(), index, &said) == NMT_OK; ++index) {
    if (said.mpi != mpi) {
      add_name(others, said.mpi);
      continue;
    }
    of_this_mpi = true;
    if (const auto rule = rule_from(said)) advice.rules.push_back(*rule);
  }
  if (index == 0) {
    advice.warning =
        "the profile has no collectives, so the MPI's own are used; measure them with mpirun ... "
        "nmad-sample --parts collectives";
  } else if (!of_this_mpi) {
    advice.warning = "the collectives of the profile were sampled under " + others +
                     ", and this job runs under " + std::string(mpi) +
                     ", so the MPI's own are used; measure them with mpirun ... nmad-sample "
                     "--parts collectives";
  }
  return advice;
}

Advice advice_to_act_always(const std::string& root) {
  if (is_switched_off(root)) {
    return {.warning = "the site has turned advice off; the MPI's own collectives are used"};
  }
  Advice advice;
  for (const Operation operation : kOperations) {
    Rule& rule = advice.rules.emplace_back(
        Rule{.operation = operation, .from_bytes = 1, .to_bytes = kWithoutEnd});
    if (operation == Operation::kBarrier) {
      rule.from_bytes = 0;
    } else {
      rule.segment_bytes = kTriedSegmentBytes;
    }
    name_algorithm(rule, usual_algorithm(to_string(operation)));
  }
  return advice;
}

const Rule* find_rule(std::span<const Rule> rules, Operation operation, std::uint64_t bytes) {
  auto rule = std::ranges::lower_bound(rules, operation, {}, &Rule::operation);
  for (; rule != rules.end() && rule->operation == operation; ++rule) {
    if (rule->from_bytes <= bytes && bytes < rule->to_bytes) return &*rule;
  }
  return nullptr;
}

RulesByShape::RulesByShape(std::vector<Rule> rules) : rules_(std::move(rules)) {
  std::vector<ShapeRange> shapes;
  std::vector<MergedRanges::Range> ranks;
  std::array<std::vector<MergedRanges::Range>, kOperations.size()> sizes;
  for (const Rule& rule : rules_) {
    shapes.push_back(shapes_of(rule));
    ranks.push_back(ranks_of(shapes.back()));
    sizes[static_cast<std::size_t>(rule.operation)].push_back({rule.from_bytes, rule.to_bytes});
  }
  shapes_ = ShapeIndex(shapes);
  ranks_ = MergedRanges(std::move(ranks));
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes_[i] = MergedRanges(std::move(sizes[i]));
}

bool RulesByShape::has_rules_for(int ranks) const {
  return ranks_.contains(static_cast<std::uint64_t>(ranks));
}

// Where several rules hold, the first one counts, so they stay in their order.
std::vector<Rule> RulesByShape::rules_for_equal(int nodes, int ranks_per_node) const {
  std::vector<std::uint32_t> found;
  shapes_.find(static_cast<std::uint32_t>(nodes), static_cast<std::uint32_t>(ranks_per_node),
               [&](std::uint32_t rule) { found.push_back(rule); });
  std::ranges::sort(found);
  std::vector<Rule> rules;
  for (const std::uint32_t rule : found) rules.push_back(rules_[rule]);
  return rules;
}

std::vector<Rule> RulesByShape::rules_for(int nodes, const std::set<int>& ranks_per_node) const {
  std::vector<Rule> rules;
  for (auto each = ranks_per_node.rbegin(); each != ranks_per_node.rend(); ++each) {
    std::vector<Rule> own = rules_for_equal(nodes, *each);
    rules = each == ranks_per_node.rbegin() ? std::move(own) : cut_to(own, rules);
  }
  std::ranges::stable_sort(rules, {}, &Rule::operation);
  return rules;
}

}  // namespace nmt::collectives
