// SPDX-License-Identifier: BSD-3-Clause
//
// One-copy reads from another process's memory (process_vm_readv), and whether the kernel allows
// them.
//
// The probe makes a real read instead of reading a setting: yama, user namespaces, seccomp filters
// and containers can each forbid it. Settings are read only to word the remedy. A short count is a
// failure (the kernel returns one, without an error, where the mapping ends).
// failure (the kernel returns one, without an error, where the mapping ends).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/rail.h"

namespace nmt::node {

// Lets other processes of this user read from this process where yama (ptrace_scope 1) requires its
// consent. The consent stays, because other parts of this process may rely on it.
void allow_cross_memory_attach();

// Forks a child that reads from this process, the direction that yama restricts most. Returns
// nullopt if it works, else reason and remedy for the rail named `rail`. Calls
// allow_cross_memory_attach().
std::optional<Refusal> probe_cross_memory_attach(const std::string& rail);

// Reads exactly `to.size()` bytes from `address` of process `pid`. Throws Error(kPeer) if the
// process is gone or the range is not mapped, Error(kFailed) if the read is forbidden. Another
// process may have taken the number of a dead one: after the read, the caller checks that its peer
// still lives.
void read_from_process(pid_t pid, std::uint64_t address, std::span<std::byte> to);

}  // namespace nmt::node
