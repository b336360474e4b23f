// SPDX-License-Identifier: BSD-3-Clause
//
// The three standard streams, made safe to use.
//
// If the caller closed a stream, the next opened file must not take its place (a profile that is
// written to as "standard output" is lost). If the reader of a pipe leaves early, that is no
// failure; a full disk behind a redirection is one.
#pragma once

#include <cstddef>
#include <string_view>

namespace nmt::tools {

// Call it first in main(). Closed standard streams then refuse every use. Writing into a pipe
// without a reader, or into a file beyond its limit, gives an error code, not a signal.
void secure_standard_streams();

// Whether a person reads the stream on a terminal. Not in a job: Open MPI gives its first rank a
// terminal of its own, whose output ends in a log or among the output of other ranks.
bool is_terminal(int descriptor);
// Columns of the terminal; 0 if there is none, which means no limit.
std::size_t terminal_width(int descriptor);
// Whether to highlight: on a terminal, NO_COLOR (no-color.org) unset, and TERM not "dumb".
bool takes_highlighting(int descriptor);

// Writes all of `text`. False if the reader has gone. Throws Error(kFailed) that names `what` for
// other failures.
bool write_all(int descriptor, std::string_view text, std::string_view what = "standard output");

}  // namespace nmt::tools
