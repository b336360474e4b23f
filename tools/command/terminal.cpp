// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "control/control.h"
#include "core/error.h"

namespace nmt::tools {

void secure_standard_streams() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    // The wrong direction on purpose: the use of a closed stream must fail. open() takes the lowest
    // free number, which is this one.
    const int direction = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", direction) != descriptor) ::_exit(1);
  }
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
}

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1 && !control::launching_mpi(); }

std::size_t terminal_width(int descriptor) {
  if (!is_terminal(descriptor)) return 0;
  struct winsize size = {};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

bool takes_highlighting(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool refused = no_color != nullptr && *no_color != '\0';
  return is_terminal(descriptor) && !refused && term != nullptr && std::string_view(term) != "dumb";
}

bool write_all(int descriptor, std::string_view text, std::string_view what) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      return false;
    } else if (errno == EAGAIN) {  // another user of the terminal or pipe made it non-blocking
      struct pollfd ready = {.fd = descriptor, .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      throw system_error(Fault::kFailed, fmt::format("write({})", what), errno);
    }
  }
  return true;
}

}  // namespace nmt::tools
