// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/duo.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace nmt {
namespace {

constexpr int kPatienceMs = 10000;

class SocketExchange final : public Exchange {
 public:
  explicit SocketExchange(int socket) : socket_(socket) {}

  std::string swap(std::string_view mine) override {
    if (::send(socket_, mine.data(), mine.size(), MSG_NOSIGNAL) < 0) fail();
    pollfd waiting{socket_, POLLIN, 0};
    if (::poll(&waiting, 1, kPatienceMs) <= 0) fail();
    std::string theirs(65536, '\0');
    const ssize_t size = ::recv(socket_, theirs.data(), theirs.size(), 0);
    if (size <= 0) fail();
    theirs.resize(static_cast<std::size_t>(size));
    return theirs;
  }

 private:
  [[noreturn]] static void fail() {
    throw Error(Fault::kPeer, "the process at the other end does not answer");
  }
  int socket_;
};

std::vector<std::unique_ptr<Engine>> open_engines(const DuoOptions& options, Side side,
                                                  int socket) {
  SocketExchange exchange(socket);
  std::vector<std::unique_ptr<Engine>> engines;
  for (const std::string& strategy : options.strategies) {
    EngineOptions wanted{.strategy = strategy, .profile = options.profile};
    engines.push_back(std::make_unique<Engine>(std::move(wanted)));
    std::vector<LinkDescription> links;
    for (const RailInUse& rail : options.rails) {
      links.push_back({rail.driver->open(rail.rail, side, exchange), rail.rail.full_name(),
                       rail.driver->methods(rail.rail)});
    }
    engines.back()->add_gate("the other process", std::move(links));
  }
  return engines;
}

[[noreturn]] void live_far(const DuoOptions& options, int socket) {
  ::signal(SIGINT, SIG_IGN);  // the near end ends this process
  try {
    Player player(options.size_bytes_max, options.at_once_max);
    const auto engines = open_engines(options, Side::kFar, socket);
    Cell cell;
    while (::recv(socket, &cell, sizeof cell, 0) == sizeof cell) {
      player.play_far(*engines.at(cell.strategy), cell);
    }
  } catch (const std::exception& error) {
    ::send(socket, error.what(), std::strlen(error.what()), MSG_NOSIGNAL);
  }
  ::_exit(0);
}

}  // namespace

Duo::Duo(const DuoOptions& options) : player_(options.size_bytes_max, options.at_once_max) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
    throw system_error(Fault::kFailed, "socketpair(AF_UNIX, SOCK_SEQPACKET)", errno);
  }
  socket_ = Descriptor(ends[0]);
  const Descriptor far_socket(ends[1]);
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ < 0) throw system_error(Fault::kFailed, "fork()", errno);
  if (child_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
    socket_ = Descriptor();
    live_far(options, far_socket.get());
  }
  engines_ = open_engines(options, Side::kNear, socket_.get());
}

Duo::~Duo() {
  engines_.clear();
  socket_ = Descriptor();
  ::kill(child_, SIGKILL);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Duo::play(const Cell& cell) {
  if (::send(socket_.get(), &cell, sizeof cell, MSG_NOSIGNAL) != sizeof cell) {
    tell_failure("the other process has gone");
  }
  try {
    player_.play_near(*engines_.at(cell.strategy), cell);
  } catch (const Error& error) {
    tell_failure(error.what());
  }
}

// What the other process said before it left, where it did.
void Duo::tell_failure(const std::string& what) const {
  char text[1000];
  const ssize_t size = ::recv(socket_.get(), text, sizeof text, MSG_DONTWAIT);
  throw Error(Fault::kPeer, size > 0 ? "the other process reports: " +
                                           std::string(text, static_cast<std::size_t>(size))
                                     : what);
}

}  // namespace nmt
