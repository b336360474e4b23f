// SPDX-License-Identifier: BSD-3-Clause
#include "control/listener.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include "core/error.h"

namespace nmt::control {
namespace {

constexpr std::size_t kPendingMax = 64;
constexpr int kLookMs = 100;  // period of checks for interruption and late connections

std::string printable_reason(const std::string& text) {
  std::string reason;
  for (const char c : text) reason += c >= ' ' && c <= '~' ? c : '?';
  return reason;
}

Nonce expect(Connection& connection, Kind kind, const Deadline& deadline) {
  const Message message = connection.receive(std::chrono::milliseconds(deadline.left_ms()),
                                             std::max(sizeof(Nonce), kReasonBytesMax));
  if (message.kind == kRefusal) {
    throw Error(Fault::kPeer,
                fmt::format("{}: refused: {}", connection.peer(), printable_reason(message.text)));
  }
  Nonce nonce{};
  if (message.kind != kind || message.text.size() != nonce.size()) {
    throw Error(Fault::kPeer, connection.peer() + ": unexpected message in the handshake");
  }
  std::copy(message.text.begin(), message.text.end(), nonce.begin());
  return nonce;
}

std::string_view text_of(const Nonce& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void introduce(Connection& connection, const Secret& secret, const Deadline& deadline) {
  const Nonce own = random_bytes();
  connection.send(kHello, text_of(own));
  const Nonce theirs = expect(connection, kChallenge, deadline);
  connection.send(kProof, text_of(prove(secret, Role::kConnecting, own, theirs)));
  const Proof proof = expect(connection, kWelcome, deadline);
  if (!equal(proof, prove(secret, Role::kListening, own, theirs))) {
    throw Error(Fault::kPeer, connection.peer() + ": the peer does not know the secret");
  }
}

Connection connect_to(const Address& address, const Secret& secret, const Deadline& deadline) {
  const std::string peer = address.text();
  Descriptor descriptor = make_socket(address.socket.ss_family);
  const std::string call = fmt::format("connect({})", peer);
  constexpr char kRemedy[] = "is nmad-sample --serve running there?";
  if (::connect(descriptor.get(), reinterpret_cast<const sockaddr*>(&address.socket),
                address.length) != 0 &&
      errno != EINPROGRESS) {
    throw system_error(Fault::kPeer, call, errno, kRemedy);
  }
  wait_until(descriptor.get(), POLLOUT, deadline, peer, "does not answer");
  int error = 0;
  socklen_t length = sizeof error;
  ::getsockopt(descriptor.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) throw system_error(Fault::kPeer, call, error, kRemedy);
  Connection connection(std::move(descriptor), peer);
  introduce(connection, secret, deadline);
  return connection;
}

}  // namespace

Listener::Listener(const std::string& host, std::uint16_t port) {
  address_ = resolve(host, port).front();
  descriptor_ = make_socket(address_.socket.ss_family);
  const int on = 1;
  ::setsockopt(descriptor_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(descriptor_.get(), reinterpret_cast<const sockaddr*>(&address_.socket),
             address_.length) != 0 ||
      ::listen(descriptor_.get(), SOMAXCONN) != 0) {
    throw system_error(Fault::kUsage, fmt::format("listen at {}", address_.text()), errno);
  }
  ::getsockname(descriptor_.get(), reinterpret_cast<sockaddr*>(&address_.socket), &address_.length);
}

// Reports the first few refusals; after them one line at each power of two.
void Listener::report(const Hooks& hooks, const std::string& reason) {
  constexpr std::uint64_t kEachMax = 8;
  ++refusals_;
  if (!hooks.refused || (refusals_ > kEachMax && !std::has_single_bit(refusals_))) return;
  hooks.refused(refusals_ <= kEachMax ? reason
                                      : fmt::format("{} ({} refused so far)", reason, refusals_));
}

// Accepts a connection; drops the oldest pending one if there are too many.
void Listener::admit(const Hooks& hooks) {
  Address from;
  from.length = sizeof from.socket;
  Descriptor descriptor(::accept4(descriptor_.get(), reinterpret_cast<sockaddr*>(&from.socket),
                                  &from.length, SOCK_NONBLOCK | SOCK_CLOEXEC));
  no_descriptor_ =
      !descriptor && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
  if (!descriptor) return;
  if (pending_connections_.size() == kPendingMax) {
    report(hooks, pending_connections_.front().address() +
                      ": closed, because too many connections were open");
    pending_connections_.erase(pending_connections_.begin());
  }
  pending_connections_.emplace_back(std::move(descriptor), from.text());
}

std::optional<Connection> Listener::hear(const Secret& secret, const Hooks& hooks) {
  std::optional<Connection> proven;
  std::erase_if(pending_connections_, [&](PendingConnection& pending) {
    if (proven) return false;
    const PendingConnection::State state = pending.advance(secret);
    if (state == PendingConnection::State::kProven) {
      proven.emplace(pending.take(), pending.address());
      return true;
    }
    const bool silent = state == PendingConnection::State::kTalking && pending.late();
    if (silent) pending.refuse("too slow");
    const std::string reason = silent ? pending.address() + ": does not answer" : pending.reason();
    if (state == PendingConnection::State::kTalking && !silent) return false;
    report(hooks, reason);
    return true;
  });
  return proven;
}

std::optional<Connection> Listener::accept(const Secret& secret, std::chrono::nanoseconds timeout,
                                           const Hooks& hooks) {
  const Deadline deadline(timeout);
  for (;;) {
    // Without a free descriptor, do not poll the listening socket; retry after kLookMs.
    std::vector<pollfd> waiting{{no_descriptor_ ? -1 : descriptor_.get(), POLLIN, 0}};
    for (const PendingConnection& pending : pending_connections_)
      waiting.push_back({pending.descriptor(), POLLIN, 0});
    const int wait_ms = std::min(deadline.left_ms(), kLookMs);
    if (::poll(waiting.data(), waiting.size(), wait_ms) < 0 && errno != EINTR) {
      throw system_error(Fault::kFailed, "poll", errno);
    }
    if (hooks.interrupted && hooks.interrupted()) return std::nullopt;
    if (std::optional<Connection> proven = hear(secret, hooks)) {
      pending_connections_.clear();
      return proven;
    }
    if (deadline.passed()) {
      throw Error(Fault::kPeer, fmt::format("no peer that knows the secret connected to {} in time",
                                            address_.text()));
    }
    admit(hooks);
  }
}

Connection connect(const std::string& host, std::uint16_t port, const Secret& secret,
                   std::chrono::nanoseconds timeout) {
  const Deadline deadline(timeout);
  const std::vector<Address> addresses = resolve(host, port);
  for (std::size_t i = 0;; ++i) {
    try {
      return connect_to(addresses[i], secret, deadline);
    } catch (const Error&) {
      if (i + 1 == addresses.size() || deadline.passed()) throw;
    }
  }
}

}  // namespace nmt::control
