// SPDX-License-Identifier: BSD-3-Clause
//
// One-copy reads from another process's memory (process_vm_readv), and whether the kernel lets us.
//
// Probed by doing, not by reading a setting: yama, user namespaces, seccomp filters and containers
// all forbid it in their own ways; settings are read only to word the remedy. A short count is a
// failure (the kernel returns one, without an error, where the mapping ends).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/rail.h"

namespace nmt {

// Lets processes of this user attach to this one where yama (ptrace_scope 1) asks for consent.
// Stays in force: other users of this process may rely on it.
void allow_cross_memory_attach();

// Lets a forked child, which does nothing else, read from this process: the direction that yama
// guards most. nullopt where it works, else reason and remedy. `rail` names the rail in the
// refusal. Calls allow_cross_memory_attach().
std::optional<Refusal> probe_cross_memory_attach(const std::string& rail);

// Reads exactly `to.size()` bytes from `address` of process `pid`; throws Error(kPeer) where the
// process is gone or the range is not mapped, Error(kFailed) where it is forbidden. The number of
// a dead process may be another's by now: the caller makes sure, after the read, that its peer
// still lives.
void read_from_process(pid_t pid, std::uint64_t address, std::span<std::byte> to);

}  // namespace nmt
