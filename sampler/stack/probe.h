// SPDX-License-Identifier: BSD-3-Clause
//
// A stack's job as it comes, looked at once before anything is compared: where it runs, how long a
// launch takes, and where its own protocols change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sampler/stack/launch_messages.h"

namespace nmt {

// Powers of two, and twice as many where protocols change.
std::vector<std::uint64_t> stack_grid(std::uint64_t most_bytes);

// Error(kUsage) where the launcher starts one rank only.
LaunchedRound probe_stack(const StackJob& job, const std::vector<std::uint64_t>& sizes_bytes);

// What a limit counts beside the message: that of the default, less the largest message that it
// lets through. 1 where the stack does not tell.
std::uint64_t header_bytes(const Stack& stack, const LaunchedRound& first, Transport transport);

// What comparisons need to know, as options of a campaign: "default NAME", "eager PLACEMENT",
// "header PLACEMENT"; and the file of the library that was loaded.
inline constexpr std::string_view kLibraryFile = "library_file";
Fields facts_of(const Stack& stack, const LaunchedRound& first);

}  // namespace nmt
