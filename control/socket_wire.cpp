// SPDX-License-Identifier: BSD-3-Clause
#include "control/socket_wire.h"

#include <fmt/format.h>
#include <poll.h>

#include <cerrno>

#include "control/socket.h"
#include "core/error.h"

namespace nmt::control {
namespace {

constexpr std::chrono::seconds kSendTimeout{5};
constexpr char kSilent[] = "does not answer";

}  // namespace

SocketWire::SocketWire(Descriptor descriptor, std::string peer)
    : descriptor_(std::move(descriptor)), peer_(std::move(peer)) {}

void SocketWire::write(std::string_view bytes) {
  const Deadline deadline(kSendTimeout);
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t n =
        ::send(descriptor_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
    } else if (n < 0 && errno == EAGAIN) {
      wait_until(descriptor_.get(), POLLOUT, deadline, peer_, "does not receive");
    } else if (n < 0 && errno != EINTR) {
      throw system_error(Fault::kPeer, peer_ + ": the peer closed the connection", errno);
    }
  }
}

void SocketWire::read(std::span<std::uint8_t> to, const Deadline& deadline) {
  for (std::size_t got = 0; got < to.size();) {
    const ssize_t n = ::recv(descriptor_.get(), to.data() + got, to.size() - got, 0);
    if (n > 0) {
      got += static_cast<std::size_t>(n);
      if (got < to.size() && deadline.passed()) {  // a slow byte stream is also a failure
        throw Error(Fault::kPeer, fmt::format("{}: {}", peer_, kSilent));
      }
    } else if (n == 0) {
      throw Error(Fault::kPeer, peer_ + ": the peer closed the connection");
    } else if (errno == EAGAIN) {
      wait_until(descriptor_.get(), POLLIN, deadline, peer_, kSilent);
    } else if (errno != EINTR) {
      throw system_error(Fault::kPeer, peer_ + ": the peer closed the connection", errno);
    }
  }
}

bool SocketWire::readable(std::chrono::milliseconds timeout) const {
  pollfd waiting{descriptor_.get(), POLLIN, 0};
  const Deadline deadline(timeout);
  do {
    if (::poll(&waiting, 1, deadline.left_ms()) > 0) return true;
  } while (!deadline.passed());
  return false;
}

}  // namespace nmt::control
