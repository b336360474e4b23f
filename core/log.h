// SPDX-License-Identifier: BSD-3-Clause
//
// NMADTUNE_LOG=TOPIC,...: the libraries print their decisions on stderr. They print when something
// is opened or a transfer has ended, never while a program asks for a decision.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace nmt {

inline constexpr std::string_view kLogDecisions = "decisions";
inline constexpr std::string_view kLogTransfers = "transfers";
inline constexpr std::array kLogTopics = {kLogDecisions, kLogTransfers};

bool log_wants(std::string_view topic);
// Names the topics that do not exist, and those that do; empty if all are known.
std::string log_problem();

}  // namespace nmt
