// SPDX-License-Identifier: BSD-3-Clause
#include "node/cross_memory_attach.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/error.h"

namespace nmt::node {
namespace {

// The kernel moves at most 2 GiB less a page per call, and reports that only by a short count.
constexpr std::size_t kReadBytesMax = std::size_t{1} << 30;

// Exit status of the probing child for a failure that has no errno.
constexpr int kWrongContent = 200;

constexpr std::uint64_t kProbe = 0x6e6d61647475ffeeu;

ssize_t read_once(pid_t pid, std::uint64_t address, std::span<std::byte> to) {
  const iovec local{to.data(), to.size()};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of another process
  const iovec remote{reinterpret_cast<void*>(address), to.size()};
  return ::process_vm_readv(pid, &local, 1, &remote, 1, 0);
}

// Runs in the child. Its own copy of the word is cleared, so kProbe can only come from the parent.
[[noreturn]] void probe_parent(pid_t parent, volatile std::uint64_t* word) {
  *word = 0;
  std::uint64_t seen = 0;
  const ssize_t n = read_once(parent, reinterpret_cast<std::uint64_t>(word),
                              std::as_writable_bytes(std::span(&seen, 1)));
  if (n < 0) ::_exit(errno);
  ::_exit(n == sizeof seen && seen == kProbe ? 0 : kWrongContent);
}

std::string first_word(const char* file) {
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return word;
}

bool has_seccomp_filter() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Seccomp:")) return line.ends_with('2');
  }
  return false;
}

// Chooses the words for the cause of EPERM, most specific cause first.
Refusal forbidden(const std::string& rail) {
  const std::string scope = first_word("/proc/sys/kernel/yama/ptrace_scope");
  if (scope == "2" || scope == "3") {
    return {rail,
            fmt::format("process_vm_readv is forbidden by kernel.yama.ptrace_scope {}", scope),
            scope == "2" ? "sysctl kernel.yama.ptrace_scope=1, or run as root"
                         : "boot with kernel.yama.ptrace_scope=1: 3 cannot be lowered again"};
  }
  if (has_seccomp_filter()) {
    return {rail, "process_vm_readv is forbidden by a seccomp filter (container?)",
            "allow it in the container's seccomp profile, or start it with --cap-add SYS_PTRACE"};
  }
  if (::prctl(PR_GET_DUMPABLE) == 0) {
    return {rail, "process_vm_readv is forbidden: this process is not dumpable",
            "run without set-user-id and file capabilities"};
  }
  return {rail, "process_vm_readv: Operation not permitted",
          "give both processes the same user, user namespace and security label"};
}

Refusal refusal(const std::string& rail, int status) {
  if (WIFSIGNALED(status)) {
    return {rail, fmt::format("process_vm_readv ends the process with signal {}", WTERMSIG(status)),
            "allow it in the seccomp profile of the container"};
  }
  const int cause = WEXITSTATUS(status);
  if (cause == EPERM) return forbidden(rail);
  if (cause == ENOSYS) {
    return {rail, "process_vm_readv: Function not implemented",
            has_seccomp_filter() ? "allow it in the container's seccomp profile"
                                 : "use a kernel with CONFIG_CROSS_MEMORY_ATTACH"};
  }
  if (cause == kWrongContent) {
    return {rail, "process_vm_readv returned other bytes than those of the source", ""};
  }
  return {rail, fmt::format("process_vm_readv: {}", std::strerror(cause)), ""};
}

}  // namespace

void allow_cross_memory_attach() {
  // Fails if yama is not built in; then it is not needed.
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

std::optional<Refusal> probe_cross_memory_attach(const std::string& rail) {
  allow_cross_memory_attach();
  volatile std::uint64_t word = kProbe;
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) probe_parent(parent, &word);
  if (child < 0) {
    return Refusal{rail, fmt::format("fork: {}", std::strerror(errno)), "end some processes"};
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return Refusal{rail, fmt::format("waitpid: {}", std::strerror(errno)), ""};
  }
  if (status == 0) return std::nullopt;
  return refusal(rail, status);
}

void read_from_process(pid_t pid, std::uint64_t address, std::span<std::byte> to) {
  while (!to.empty()) {
    const std::span<std::byte> part = to.first(std::min(to.size(), kReadBytesMax));
    const ssize_t n = read_once(pid, address, part);
    if (n < 0 || static_cast<std::size_t>(n) != part.size()) {
      const int cause = n < 0 ? errno : 0;
      const std::string call =
          fmt::format("process_vm_readv({}, {:#x}, {} bytes)", pid, address, part.size());
      if (n >= 0) throw Error(Fault::kPeer, fmt::format("{}: only {} are mapped", call, n));
      const bool lost = cause == ESRCH || cause == EFAULT;
      throw system_error(lost ? Fault::kPeer : Fault::kFailed, call, cause);
    }
    address += part.size();
    to = to.subspan(part.size());
  }
}

}  // namespace nmt::node
