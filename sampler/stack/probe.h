// SPDX-License-Identifier: BSD-3-Clause
//
// The first launch of a stack's job with its defaults, before anything is compared: where it runs,
// how long a launch takes, and where its own protocols change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sampler/stack/launch_messages.h"

namespace nmt::sampler {

// Powers of two, twice as dense where protocols change.
std::vector<std::uint64_t> stack_grid(std::uint64_t most_bytes);

// Error(kUsage) if the launcher starts only one rank. Error(kFailed) if limits of the stack are
// control variables of its MPI, and these cannot be read.
LaunchedRound probe_stack(const StackJob& job, const std::vector<std::uint64_t>& sizes_bytes);

// Error(kFailed) if the control variables of the job's MPI cannot be read. `what` completes the
// message "cannot ...": "choose an algorithm".
void require_variables(const StackJob& job, const LaunchedRound& first, std::string_view what);

// What a limit counts besides the message: the default limit minus the largest message that it lets
// through. 1 if the stack does not report it.
std::uint64_t header_bytes(const stacks::Stack& stack, const LaunchedRound& first,
                           stacks::Transport transport);

// What comparisons need to know, as options of a campaign: "default NAME", "eager PLACEMENT",
// "header PLACEMENT"; the file of the library that was loaded, and the versions of UCX and
// libfabric (stacks/times.h).
inline constexpr std::string_view kLibraryFile = "library_file";
Fields facts_of(const stacks::Stack& stack, const LaunchedRound& first);

}  // namespace nmt::sampler
