// SPDX-License-Identifier: BSD-3-Clause
//
// Transfer methods, and the decisions between them.
//
// A small packet is a header and a body. `copy` copies both into one buffer and sends that. `iovec`
// hands both to the driver as a gather list. `rendezvous` asks the receiver first and then moves
// the body without a copy. Other ways of a driver (inline, RDMA write or read) are variants of
// these three. Paper "sampling-based auto-tuning", II-B, II-D, III-B.
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

// A decision chooses `below` for sizes below its threshold, and `above` from the threshold on.
// iovec: copy, iovec. rendezvous: eager, rendezvous. aggregation: aggregate, separate.
struct Choices {
  std::string_view below;
  std::string_view above;
};
Choices choices(DecisionKind kind);
std::string_view to_string(DecisionKind kind);
std::optional<DecisionKind> parse_decision(std::string_view text);

// What is measured, as stored in Condition::benchmark. A time is that of one message from end to
// end (half a round trip of a ping-pong). A size is that of one body.
namespace benchmark {
inline constexpr std::string_view kTransfer = "transfer";  // method copy, iovec, rendezvous
inline constexpr std::string_view kEager = "eager";        // transfer plus one copy at the receiver
inline constexpr std::string_view kTwoPackets = "two_packets";  // back to back; size of one
inline constexpr std::string_view kAggregate = "aggregate";     // two in one; size of one
inline constexpr std::string_view kMemcpy = "memcpy";           // no rail: the machine's own memcpy
inline constexpr std::string_view kOffload = "offload";  // no rail: until another core begins
// No transfer: time until a rail can use memory in a rendezvous (see Condition::registration).
inline constexpr std::string_view kRegistration = "registration";
inline constexpr std::string_view kMessage = "message";        // as an MPI sends it, by any method
inline constexpr std::string_view kCollective = "collective";  // named by Condition::operation
// Many messages at a time (Condition::ranks). Its variants are their mean and the slowest of them.
inline constexpr std::string_view kConnections = "connections";
// Of another stack (rails "STACK/TRANSPORT[:NAME]"), under the settings in Condition::variant; an
// empty variant means the stack's defaults. A round is one launch for each of the settings.
inline constexpr std::string_view kStackMessage = "stack_message";
inline constexpr std::string_view kStackCollective = "stack_collective";
}  // namespace benchmark

// State of the other core when it gets the work: variants of kOffload.
namespace offload {
inline constexpr std::string_view kIdle = "idle";          // no work; its helper sleeps
inline constexpr std::string_view kSpinning = "spinning";  // its helper looks for work all the time
inline constexpr std::string_view kPreempting = "preempting";  // it computes, and is preempted
}  // namespace offload

// Values of Condition::registration.
namespace registration {
inline constexpr std::string_view kCold = "cold";      // memory that is new to the rail
inline constexpr std::string_view kCached = "cached";  // memory that the rail knows
}  // namespace registration

}  // namespace nmt
