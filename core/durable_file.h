// SPDX-License-Identifier: BSD-3-Clause
//
// A file that is whole under its name, or not there, whatever happens meanwhile: another process
// that reads it, a full disk, a loss of power.
//
// The content is written aside and flushed, then gets its name, and then the folder is flushed too,
// since the name is content of the folder.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

// Without `replace`, a file that has the name stays as it is, whoever made it and when: Error with
// "--force replaces it". Throws Error(kFailed).
void write_durable_file(const std::string& file, std::string_view content, bool replace);

}  // namespace nmt
