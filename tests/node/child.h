// SPDX-License-Identifier: BSD-3-Clause
//
// Claims that need a process of their own: one that filters its system calls, limits itself, dies.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace nmt::node {

// Runs `body` in a forked child and returns what it says; "signal N" where it dies, what() where
// it throws.
std::string in_child(const std::function<std::string()>& body);

// Makes a system call of this process fail with `error` from now on; 0 kills the process.
void filter_system_call(long number, int error);

}  // namespace nmt::node
