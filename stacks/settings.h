// SPDX-License-Identifier: BSD-3-Clause
//
// Settings of other communication stacks: the names of their transports, the settings that force a
// protocol or move the size where it changes, and the settings that belong together.
//
// Settings are Fields, name to value, in the stack's own spelling. Settings of one group are
// measured, kept and withdrawn together. The table of stacks is kStacks in settings.cpp. Names and
// meanings are those of the stacks' sources and documentation (docs/exports.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"

namespace nmt::stacks {

enum class Transport { kShm, kTcp, kVerbs };
inline constexpr Transport kTransports[] = {Transport::kShm, Transport::kTcp, Transport::kVerbs};
std::string_view to_string(Transport transport);  // "shm", "tcp", "verbs"
std::optional<Transport> parse_transport(std::string_view text);

struct Stack {
  std::string_view name;                // as typed on the command line
  std::string_view title;               // "Open MPI"
  std::string_view environment_prefix;  // before a setting's name, in the environment
  std::string_view mpi;                 // the stack whose jobs it is sampled in; empty: any MPI's
  bool weighs_interfaces = false;       // splits messages over interfaces by given weights

  // Eager up to this size. The transport's start-up header is added if its limit counts the header.
  Fields (*eager_up_to)(Transport transport, std::uint64_t bytes, std::uint64_t header_bytes);
  // The variable that contains the default of that limit; empty if the stack does not report it.
  std::string (*limit)(Transport transport);
  // Eager messages are copied up to this size and sent in place above it; empty if the stack has no
  // such setting.
  Fields (*copied_up_to)(std::uint64_t bytes);
};

// Error(kUsage) for an unknown stack; it lists the known ones.
const Stack& find_stack(std::string_view name);
std::span<const Stack> all_stacks();

// UCX from 1.17 on has two thresholds, one within a node and one between nodes, in one variable:
// "UCX_RNDV_THRESH=intra:8192,inter:65536". Here each is a setting of its own,
// "UCX_RNDV_THRESH:intra", that stands or falls by itself; `as_spelled` joins them into what the
// stack reads.
Stack for_ucx_version(const Stack& stack, std::string_view ucx_version);
Fields as_spelled(const Fields& settings);

// The size up to which messages are eager if the first setting of `eager_up_to` has this value. The
// value may be larger than that size: Open MPI's limits count the header too, and UCX's threshold
// is the first size that is not eager. libfabric's setting counts only the message, but has a least
// value.
std::uint64_t eager_bytes_under(const Stack& stack, Transport transport, const std::string& value,
                                std::uint64_t header_bytes);

// The largest message that forcing may send eagerly where the stack itself sends less so: more
// would need room at the receiver that stacks do not have.
std::uint64_t forced_eager_bytes_max(Transport transport);

// Open MPI: the share of large messages that each interface carries, and which interfaces carry
// small messages.
Fields interface_weights(const std::vector<std::pair<std::string, double>>& mbits_per_second);

// Open MPI: the operations that coll/han answers by nodes first and coll/tuned has rules for.
std::span<const std::string_view> han_operations();
// Components for collectives; as Condition::algorithm, their own choice.
inline constexpr std::string_view kHanComponent = "han";
inline constexpr std::string_view kTunedComponent = "tuned";  // which has the numbered algorithms

// "weights", "tcp", "shm", "verbs", "rendezvous", "intra", "inter", "zero-copy": settings that
// stand or fall together; rules for collectives are judged by size instead.
inline constexpr std::string_view kRulesGroup = "collectives";
inline constexpr std::string_view kWeightsGroup = "weights";
inline constexpr std::string_view kZeroCopyGroup = "zero-copy";
inline constexpr std::string_view kInterGroup = "inter";  // of messages between nodes
std::string group_of(std::string_view setting);
Fields of_group(const Fields& settings, std::string_view group);
Fields without_group(const Fields& settings, std::string_view group);
// Those that act on messages over that transport.
Fields of_transport(Transport transport, const Fields& settings);
std::vector<std::string> groups_of(const Fields& settings);
// Of one group's settings, the name of the one that is a limit, where the others only make it act;
// empty if there is not exactly one.
std::string limit_among(const Fields& settings);

// Settings that load files of rules for a stack's collectives. File names begin with `prefix`,
// which may be a folder. Empty for stacks without such files.
inline constexpr std::string_view kTunedRulesFile = "coll_tuned_rules.conf";
inline constexpr std::string_view kHanRulesFile = "coll_han_rules.conf";
inline constexpr std::string_view kMpichAlgorithmsFile = "mpich_algorithms.json";
inline constexpr std::string_view kMpichCompositionsFile = "mpich_compositions.json";
// `han_chooses`: coll/han is asked first, and has to hand calls on to coll/tuned.
Fields rules_settings(std::string_view stack, const std::string& prefix, bool han_chooses = false);

// One line, as in Condition::variant: "a=1 b=2", ordered by name.
std::string to_variant(const Fields& settings);
Fields from_variant(std::string_view text);

}  // namespace nmt::stacks
