// SPDX-License-Identifier: BSD-3-Clause
//
// NMADTUNE_LOG=TOPIC,...: what the libraries print on stderr of what they decide. They do so when
// something is opened or a transfer has ended, never while a decision is asked for.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace nmt {

inline constexpr std::string_view kLogDecisions = "decisions";
inline constexpr std::string_view kLogTransfers = "transfers";
inline constexpr std::array kLogTopics = {kLogDecisions, kLogTransfers};

bool log_wants(std::string_view topic);
// Names the topics that do not exist, and those that do; empty: nothing is wrong.
std::string log_problem();

}  // namespace nmt
