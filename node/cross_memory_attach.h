// SPDX-License-Identifier: BSD-3-Clause
//
// One-copy reads from another process's memory (process_vm_readv), and whether the kernel lets us.
//
// Probed by doing, not by reading a setting: yama, user namespaces, seccomp filters and containers
// all forbid it in their own ways. A short count is a failure (the kernel returns one, without an
// error, where the mapping ends).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/rail.h"

namespace nmt {

// Lets processes of this user attach to this one where yama (ptrace_scope 1) asks for consent.
void allow_cross_memory_attach();

// Reads from a forked child that does nothing else; nullopt where it works, else reason and
// remedy. `rail` names the rail in the refusal.
std::optional<Refusal> probe_cross_memory_attach(const std::string& rail);

// Reads exactly `to.size()` bytes from `address` of process `pid`; throws Error(kPeer) where the
// process is gone or the range is not mapped, Error(kFailed) where it is forbidden.
void read_from_process(pid_t pid, std::uint64_t address, std::span<std::byte> to);

}  // namespace nmt
