// SPDX-License-Identifier: BSD-3-Clause
#include "control/connection.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "control/socket.h"
#include "core/error.h"

namespace nmt::control {
namespace {

constexpr std::chrono::seconds kSendTimeout{5};
constexpr char kSilent[] = "does not answer";

}  // namespace

Connection::Connection(Descriptor descriptor, std::string peer)
    : descriptor_(std::move(descriptor)), peer_(std::move(peer)) {
  detect_loss(descriptor_.get());
}

void Connection::send(std::uint16_t kind, std::string_view text) {
  const auto frame = encode({.kind = kind, .length_bytes = text.size()});
  std::string bytes(frame.begin(), frame.end());
  bytes += text;
  const Deadline deadline(kSendTimeout);
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t n =
        ::send(descriptor_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
    } else if (n < 0 && errno == EAGAIN) {
      wait_until(descriptor_.get(), POLLOUT, deadline, peer_, "takes no message");
    } else if (n < 0 && errno != EINTR) {
      throw system_error(Fault::kPeer, peer_ + ": the other end has gone", errno);
    }
  }
}

void Connection::read(std::uint8_t* to, std::size_t size_bytes, const Deadline& deadline) {
  for (std::size_t got = 0; got < size_bytes;) {
    const ssize_t n = ::recv(descriptor_.get(), to + got, size_bytes - got, 0);
    if (n > 0) {
      got += static_cast<std::size_t>(n);
      if (got < size_bytes && deadline.passed()) {  // a byte now and then is no answer either
        throw Error(Fault::kPeer, fmt::format("{}: {}", peer_, kSilent));
      }
    } else if (n == 0) {
      throw Error(Fault::kPeer, peer_ + ": the other end has gone");
    } else if (errno == EAGAIN) {
      wait_until(descriptor_.get(), POLLIN, deadline, peer_, kSilent);
    } else if (errno != EINTR) {
      throw system_error(Fault::kPeer, peer_ + ": the other end has gone", errno);
    }
  }
}

Message Connection::receive(std::chrono::nanoseconds timeout, std::size_t length_bytes_max) {
  const Deadline deadline(timeout);
  std::array<std::uint8_t, kFrameBytes> bytes{};
  read(bytes.data(), bytes.size(), deadline);
  const Frame frame = decode(bytes, length_bytes_max, peer_);
  Message message{.kind = frame.kind, .text = std::string(frame.length_bytes, '\0')};
  read(reinterpret_cast<std::uint8_t*>(message.text.data()), message.text.size(), deadline);
  return message;
}

bool Connection::has_message(std::chrono::milliseconds patience) const {
  pollfd waiting{descriptor_.get(), POLLIN, 0};
  return ::poll(&waiting, 1, static_cast<int>(patience.count())) > 0;
}

}  // namespace nmt::control
