// SPDX-License-Identifier: BSD-3-Clause
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "core/error.h"
#include "tools/bench/bench_ends.h"

namespace nmt::tools::bench {
namespace {

constexpr char kOtherProcess[] = "the other process";

[[noreturn]] void live(const Setup& setup, Descriptor socket) {
  ::signal(SIGINT, SIG_IGN);  // the near end ends this process
  try {
    control::Connection peer(std::move(socket), kOtherProcess);
    serve_cells(setup, peer);
  } catch (const std::exception&) {  // reported to the near end
  }
  ::_exit(0);
}

}  // namespace

ForkedFarEnd::ForkedFarEnd(const Setup& setup) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0) {
    throw system_error(Fault::kFailed, "socketpair(AF_UNIX, SOCK_STREAM)", errno);
  }
  Descriptor near(ends[0]), far(ends[1]);
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ < 0) throw system_error(Fault::kFailed, "fork()", errno);
  if (child_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
    near = Descriptor();
    live(setup, std::move(far));
  }
  connection_ = std::make_unique<control::Connection>(std::move(near), kOtherProcess);
}

ForkedFarEnd::~ForkedFarEnd() {
  connection_.reset();
  ::kill(child_, SIGKILL);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace nmt::tools::bench
