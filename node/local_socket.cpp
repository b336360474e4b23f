// SPDX-License-Identifier: BSD-3-Clause
#include "node/local_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "core/id.h"

namespace nmt::node {
namespace {

struct Name {
  sockaddr_un socket{};
  socklen_t length = 0;
};

// An abstract name: a leading zero byte and no file.
Name abstract_name(const std::string& address) {
  Name name;
  name.socket.sun_family = AF_UNIX;
  const std::string text = "nmadtune-" + address;
  if (text.size() + 1 > sizeof name.socket.sun_path) {
    throw Error(Fault::kPeer, "the peer's address is not the address of a local socket");
  }
  std::memcpy(name.socket.sun_path + 1, text.data(), text.size());
  name.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return name;
}

Descriptor unix_socket() {
  Descriptor descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!descriptor) throw system_error(Fault::kFailed, "socket(AF_UNIX)", errno);
  return descriptor;
}

// Whether process `peer` made the other end, according to the kernel.
bool is_process(int descriptor, pid_t peer) {
  ucred credentials{};
  socklen_t length = sizeof credentials;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 &&
         credentials.uid == ::geteuid() && credentials.pid == peer;
}

}  // namespace

bool LocalSocket::peer_gone() const {
  pollfd waiting{descriptor_.get(), POLLRDHUP, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

// The listener exists before its address is passed on, so connecting never has to be repeated. If
// other processes fill the backlog, connecting only waits.
LocalSocket LocalSocket::connect(const std::string& address, pid_t peer, const Deadline& deadline) {
  Descriptor descriptor = unix_socket();
  const auto left = std::chrono::milliseconds(std::max(1, deadline.left_ms()));
  timeval timeout{};
  timeout.tv_sec = static_cast<time_t>(left.count() / 1000);
  timeout.tv_usec = static_cast<suseconds_t>(left.count() % 1000 * 1000);
  ::setsockopt(descriptor.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  const Name name = abstract_name(address);
  if (::connect(descriptor.get(), reinterpret_cast<const sockaddr*>(&name.socket), name.length) !=
      0) {
    throw system_error(Fault::kPeer, fmt::format("connect to process {}", peer), errno);
  }
  if (!is_process(descriptor.get(), peer)) {
    throw Error(Fault::kPeer, fmt::format("the local socket is not process {}'s", peer));
  }
  return LocalSocket(std::move(descriptor));
}

LocalListener::LocalListener() : address_(Id::random().hex()), descriptor_(unix_socket()) {
  const Name name = abstract_name(address_);
  if (::bind(descriptor_.get(), reinterpret_cast<const sockaddr*>(&name.socket), name.length) !=
          0 ||
      ::listen(descriptor_.get(), SOMAXCONN) != 0) {
    throw system_error(Fault::kFailed, "bind and listen (local socket)", errno);
  }
}

LocalSocket LocalListener::accept(pid_t peer, const Deadline& deadline) {
  for (;;) {
    pollfd waiting{descriptor_.get(), POLLIN, 0};
    const int ready = ::poll(&waiting, 1, deadline.left_ms());
    if (ready < 0 && errno != EINTR) throw system_error(Fault::kFailed, "poll", errno);
    if (ready > 0) {
      Descriptor connected(::accept4(descriptor_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (connected && is_process(connected.get(), peer)) return LocalSocket(std::move(connected));
    }
    if (deadline.passed()) {
      throw Error(Fault::kPeer, fmt::format("process {} did not connect in time", peer));
    }
  }
}

}  // namespace nmt::node
