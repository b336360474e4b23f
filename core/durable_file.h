// SPDX-License-Identifier: BSD-3-Clause
//
// A file that is complete under its name or does not exist, even if another process reads it, the
// disk is full or the power fails.
//
// The content is written under another name and flushed, then renamed. Then the folder is flushed
// too, because the name is content of the folder.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

// Without `replace`, a file that already has this name stays as it is, and the Error says "--force
// replaces it". Throws Error(kFailed).
void write_durable_file(const std::string& file, std::string_view content, bool replace);

// Lets every user read the file, whatever the umask was. Not if the name is a link now.
void let_all_read(const std::string& file);

}  // namespace nmt
