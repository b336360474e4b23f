// SPDX-License-Identifier: BSD-3-Clause
//
// Transfer methods, and the decisions between them.
//
// A small packet is a header and a body. `copy` flattens both into one buffer and sends that,
// `iovec` hands both to the driver as a gather list, `rendezvous` asks first and then moves the
// body without a copy on the way. What a driver has beyond these (inline, RDMA write or read) is a
// variant of one of the three. Paper "sampling-based auto-tuning", II-B, II-D, III-B.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace nmt {

enum class Method { kCopy, kIovec, kRendezvous };
inline constexpr std::array kMethods = {Method::kCopy, Method::kIovec, Method::kRendezvous};
std::string_view to_string(Method method);
std::optional<Method> parse_method(std::string_view text);

enum class DecisionKind { kIovec, kRendezvous, kAggregation };
inline constexpr std::array kDecisions = {DecisionKind::kIovec, DecisionKind::kRendezvous,
                                          DecisionKind::kAggregation};

// Below its threshold a decision chooses `below`, from it on `above`:
// iovec: copy, iovec. rendezvous: eager, rendezvous. aggregation: aggregate, separate.
struct Choices {
  std::string_view below;
  std::string_view above;
};
Choices choices(DecisionKind kind);
std::string_view to_string(DecisionKind kind);
std::optional<DecisionKind> parse_decision(std::string_view text);

// What is measured, as stored in Condition::benchmark. Times are of one message from end to end
// (half a round trip of a ping-pong); the size is that of one body.
namespace benchmark {
inline constexpr std::string_view kTransfer = "transfer";       // method copy, iovec, rendezvous
inline constexpr std::string_view kEager = "eager";             // plus one copy at the receiver
inline constexpr std::string_view kTwoPackets = "two_packets";  // back to back, size of one
inline constexpr std::string_view kAggregate = "aggregate";     // two in one, size of one
inline constexpr std::string_view kMemcpy = "memcpy";           // no rail: the machine's own copy
inline constexpr std::string_view kOffload = "offload";  // no rail: until another core has begun
// No transfer: until a rail can use memory in a rendezvous, Condition::registration says how.
inline constexpr std::string_view kRegistration = "registration";
inline constexpr std::string_view kMessage = "message";  // as an MPI sends it, whichever method
inline constexpr std::string_view kCollective = "collective";  // Condition::operation says which
// Many messages at a time (Condition::ranks): variant mean and slowest of them.
inline constexpr std::string_view kConnections = "connections";
// Of another stack (rails "STACK/TRANSPORT[:NAME]"), under the settings that Condition::variant
// lists, none being its own defaults. Rounds are of launches.
inline constexpr std::string_view kStackMessage = "stack_message";
inline constexpr std::string_view kStackCollective = "stack_collective";
}  // namespace benchmark

// What the other core does when it is to begin: variants of kOffload.
namespace offload {
inline constexpr std::string_view kIdle = "idle";              // nothing, its helper sleeps
inline constexpr std::string_view kPreempting = "preempting";  // it computes, and must make way
}  // namespace offload

// Values of Condition::registration.
namespace registration {
inline constexpr std::string_view kCold = "cold";      // memory that the rail never saw
inline constexpr std::string_view kCached = "cached";  // that it knows
}  // namespace registration

}  // namespace nmt
