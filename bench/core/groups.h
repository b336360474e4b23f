// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of the group "core": context for the other groups and for who works on the project, without
// goals.
#pragma once

namespace nmt::bench {

void operations();     // on curves, memory and profiles
void release_build();  // what it costs a user to compile
void source_lines();   // how much code there is, and in which long files

}  // namespace nmt::bench
