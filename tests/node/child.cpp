// SPDX-License-Identifier: BSD-3-Clause
#include "tests/node/child.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <exception>

#include "core/error.h"

namespace nmt::node {

std::string in_child(const std::function<std::string()>& body) {
  int ends[2];
  NMT_CHECK(::pipe(ends) == 0);
  const pid_t child = ::fork();
  NMT_CHECK(child >= 0);
  if (child == 0) {
    std::string text;
    try {
      text = body();
    } catch (const std::exception& error) {
      text = error.what();
    }
    const ssize_t n = ::write(ends[1], text.data(), text.size());
    ::_exit(n == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : text;
}

void filter_system_call(long number, int error) {
  const std::uint32_t action =
      error == 0 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, action),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{std::size(program), program};
  NMT_CHECK(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  NMT_CHECK(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
}

}  // namespace nmt::node
