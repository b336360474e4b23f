// SPDX-License-Identifier: BSD-3-Clause
//
// The three standard streams, as a command may trust them.
//
// A stream that the caller closed must not become the next file that is opened (a profile written
// to as "standard output" is a lost profile). A reader of a pipe that left early is no failure; a
// full disk behind a redirection is one.
#pragma once

#include <cstddef>
#include <string_view>

namespace nmt {

// To be called first in main(): closed standard streams refuse every use from now on, and writing
// into a pipe without a reader, or a file beyond its limit, is an error code, not a signal.
void secure_standard_streams();

// Whether somebody sits in front of it. Not in a job: Open MPI gives its first rank a terminal of
// its own, and what is written there ends in a log or among the output of others.
bool is_terminal(int descriptor);
// Columns of the terminal; 0 where there is none, that is, no limit.
std::size_t terminal_width(int descriptor);
// Whether highlighting is welcome: a terminal, NO_COLOR (no-color.org) unset, TERM not "dumb".
bool takes_highlighting(int descriptor);

// All of `text`. False where the reader has gone; throws Error(kFailed) naming `what` for other
// failures.
bool write_all(int descriptor, std::string_view text, std::string_view what = "standard output");

}  // namespace nmt
