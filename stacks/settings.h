// SPDX-License-Identifier: BSD-3-Clause
//
// Other communication stacks, as far as their settings go: what their transports are called, which
// settings force a protocol or set where it changes, and which belong together.
//
// Settings are Fields, name to value, as the stack spells both. Those of one group are measured,
// kept and withdrawn together. The table of stacks is kStacks in settings.cpp; names and meanings
// are those of the stacks' own sources and documentation (docs/exports.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"

namespace nmt {

enum class Transport { kShm, kTcp, kVerbs };
inline constexpr Transport kTransports[] = {Transport::kShm, Transport::kTcp, Transport::kVerbs};
std::string_view to_string(Transport transport);  // "shm", "tcp", "verbs"
std::optional<Transport> parse_transport(std::string_view text);

struct Stack {
  std::string_view name;                // as people type it
  std::string_view title;               // "Open MPI"
  std::string_view environment_prefix;  // of a setting's name, in the environment
  bool weighs_interfaces = false;       // splits messages over interfaces by given weights

  // Eager up to this many bytes; the transport's start-up header is added where limits count it.
  Fields (*eager_up_to)(Transport transport, std::uint64_t bytes, std::uint64_t header_bytes);
  // The variable that has the default of that limit, where the stack tells; empty where it does
  // not.
  std::string (*limit)(Transport transport);
  // Eager messages copied up to this many bytes, sent from where they lie above; nothing where the
  // stack has no such setting.
  Fields (*copied_up_to)(std::uint64_t bytes);
};

// Error(kUsage) for a stack that is not known, with those that are.
const Stack& find_stack(std::string_view name);
std::span<const Stack> all_stacks();

// The largest message that forcing may send eagerly: more would need room at the receiver that
// stacks do not have.
std::uint64_t forced_eager_bytes_max(Transport transport);

// Open MPI: how much of large messages an interface carries, against the others; and which of them
// carry small ones.
Fields interface_weights(const std::vector<std::pair<std::string, double>>& mbits_per_second);

// Open MPI: collectives by nodes first, in segments of that size. Its priority is above that of
// coll/tuned, so that no rule for these operations is asked for communicators over several nodes.
Fields han_settings(std::uint64_t segment_bytes);
std::span<const std::string_view> han_operations();

// "weights", "tcp", "shm", "verbs", "rendezvous", "zero-copy", "han": settings that stand or fall
// together; a rules file is judged by operation instead.
inline constexpr std::string_view kRulesGroup = "collectives";
inline constexpr std::string_view kWeightsGroup = "weights";
inline constexpr std::string_view kZeroCopyGroup = "zero-copy";
inline constexpr std::string_view kHanGroup = "han";  // Open MPI's hierarchical collectives
std::string group_of(std::string_view setting);
Fields of_group(const Fields& settings, std::string_view group);
Fields without_group(const Fields& settings, std::string_view group);
std::vector<std::string> groups_of(const Fields& settings);

// For files of rules for a stack's collectives; their names follow the prefix, which is a folder
// or begins them. Empty for stacks that have none.
inline constexpr std::string_view kTunedRulesFile = "coll_tuned_rules.conf";
inline constexpr std::string_view kMpichAlgorithmsFile = "mpich_algorithms.json";
inline constexpr std::string_view kMpichCompositionsFile = "mpich_compositions.json";
Fields rules_settings(std::string_view stack, const std::string& prefix);

// One line, as Condition::variant keeps it: "a=1 b=2", in order of names.
std::string to_variant(const Fields& settings);
Fields from_variant(std::string_view text);

// "Open MPI v4.1.4", "MPICH Version: 4.0.2" -> "4.1.4", "4.0.2"; empty where there is none.
std::string version_in(std::string_view library);
// Of "4.1.8" and "4.1.10" the first is the older.
bool older(std::string_view version, std::string_view other);

}  // namespace nmt
