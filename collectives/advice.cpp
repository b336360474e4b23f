// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/advice.h"

#include <algorithm>
#include <cstring>
#include <iterator>
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

std::int32_t last_nodes(const Rule& rule) { return std::max(rule.nodes, rule.nodes_max); }
std::int32_t last_ranks(const Rule& rule) {
  return std::max(rule.ranks_per_node, rule.ranks_per_node_max);
}

std::vector<Rule> rules_for_equal(const Advice& advice, int nodes, int ranks_per_node) {
  std::vector<Rule> rules;
  std::ranges::copy_if(advice.rules, std::back_inserter(rules), [&](const Rule& rule) {
    return rule.nodes == 0 ||
           (nodes >= rule.nodes && nodes <= last_nodes(rule) &&
            ranks_per_node >= rule.ranks_per_node && ranks_per_node <= last_ranks(rule));
  });
  return rules;
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

std::uint64_t Advice::least_bytes(Operation operation) const {
  std::uint64_t least = kWithoutEnd;
  for (const Rule& rule : rules) {
    if (rule.operation == operation) least = std::min(least, rule.from_bytes);
  }
  return least;
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

const Rule* find_rule(const std::vector<Rule>& rules, Operation operation, std::uint64_t bytes) {
  for (const Rule& rule : rules) {
    if (rule.operation == operation && rule.from_bytes <= bytes && bytes < rule.to_bytes) {
      return &rule;
    }
  }
  return nullptr;
}

bool has_rules_for(const Advice& advice, int ranks) {
  return std::ranges::any_of(advice.rules, [&](const Rule& rule) {
    // `ranks_per_node` is the maximum over nodes; each node has at least one rank.
    return rule.nodes == 0 || (ranks >= rule.nodes - 1 + rule.ranks_per_node &&
                               ranks <= std::int64_t{last_nodes(rule)} * last_ranks(rule));
  });
}

std::vector<Rule> rules_for(const Advice& advice, int nodes, const std::set<int>& ranks_per_node) {
  std::vector<Rule> rules;
  for (auto each = ranks_per_node.rbegin(); each != ranks_per_node.rend(); ++each) {
    std::vector<Rule> own = rules_for_equal(advice, nodes, *each);
    rules = each == ranks_per_node.rbegin() ? std::move(own) : cut_to(own, rules);
  }
  return rules;
}

}  // namespace nmt::collectives
