// SPDX-License-Identifier: BSD-3-Clause
#include "control/listener.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include "control/socket_wire.h"
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

Nonce expect(Wire& wire, const std::string& peer, Kind kind, const Deadline& deadline) {
  const Message message =
      receive_message(wire, peer, deadline, std::max(sizeof(Nonce), kReasonBytesMax));
  if (message.kind == kRefusal) {
    throw Error(Fault::kPeer, fmt::format("{}: refused: {}", peer, printable_reason(message.text)));
  }
  Nonce nonce{};
  if (message.kind != kind || message.text.size() != nonce.size()) {
    throw Error(
        Fault::kPeer,
        peer + ": unexpected message in the handshake; install the same nmadtune on both hosts");
  }
  std::copy(message.text.begin(), message.text.end(), nonce.begin());
  return nonce;
}

std::string_view text_of(const Nonce& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The handshake, as the connecting end runs it.
void introduce(Wire& wire, const std::string& peer, const Secret& secret,
               const Deadline& deadline) {
  const Nonce own = random_bytes();
  send_message(wire, kHello, text_of(own));
  const Nonce theirs = expect(wire, peer, kChallenge, deadline);
  send_message(wire, kProof, text_of(prove(secret, Role::kConnecting, own, theirs)));
  const Proof proof = expect(wire, peer, kWelcome, deadline);
  if (!equal(proof, prove(secret, Role::kListening, own, theirs))) {
    throw Error(Fault::kPeer,
                peer + ": the peer does not know the secret; give both ends the same secret");
  }
}

void bind_to(int descriptor, const Address& address) {
  if (::bind(descriptor, reinterpret_cast<const sockaddr*>(&address.socket), address.length) == 0)
    return;
  throw system_error(Fault::kUsage, fmt::format("bind({})", address.text()), errno);
}

}  // namespace

Listener::Listener(const std::string& host, std::uint16_t port)
    : Listener(resolve(host, port).front()) {}

Listener::Listener(const Address& address) : address_(address) {
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

std::optional<ProvenSocket> Listener::hear(const Secret& secret, const Hooks& hooks) {
  std::optional<ProvenSocket> proven;
  std::erase_if(pending_connections_, [&](PendingConnection& pending) {
    if (proven) return false;
    const PendingConnection::State state = pending.advance(secret);
    if (state == PendingConnection::State::kProven) {
      proven = {pending.take(), pending.address()};
      return true;
    }
    const bool silent = state == PendingConnection::State::kTalking && pending.late();
    if (silent) pending.refuse("too slow");
    const std::string reason =
        silent ? pending.address() + ": did not answer in time" : pending.reason();
    if (state == PendingConnection::State::kTalking && !silent) return false;
    report(hooks, reason);
    return true;
  });
  return proven;
}

std::optional<ProvenSocket> Listener::accept_socket(const Secret& secret,
                                                    std::chrono::nanoseconds timeout,
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
    if (std::optional<ProvenSocket> proven = hear(secret, hooks)) {
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

std::optional<Connection> Listener::accept(const Secret& secret, std::chrono::nanoseconds timeout,
                                           const Hooks& hooks) {
  std::optional<ProvenSocket> proven = accept_socket(secret, timeout, hooks);
  if (!proven) return std::nullopt;
  return Connection(std::move(proven->descriptor), std::move(proven->peer));
}

ProvenSocket connect_socket(const std::optional<Address>& own, const Address& peer,
                            const Secret& secret, const Deadline& deadline,
                            std::string_view remedy) {
  const std::string name = peer.text(), call = fmt::format("connect({})", name);
  Descriptor descriptor = make_socket(peer.socket.ss_family);
  if (own) bind_to(descriptor.get(), *own);
  if (::connect(descriptor.get(), reinterpret_cast<const sockaddr*>(&peer.socket), peer.length) !=
          0 &&
      errno != EINPROGRESS) {
    throw system_error(Fault::kPeer, call, errno, remedy);
  }
  wait_until(descriptor.get(), POLLOUT, deadline, name, "does not answer");
  int error = 0;
  socklen_t length = sizeof error;
  ::getsockopt(descriptor.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) throw system_error(Fault::kPeer, call, error, remedy);
  SocketWire wire(std::move(descriptor), name);
  introduce(wire, name, secret, deadline);
  return {wire.take(), name};
}

Connection connect(const std::string& host, std::uint16_t port, const Secret& secret,
                   std::chrono::nanoseconds timeout) {
  const Deadline deadline(timeout);
  const std::vector<Address> addresses = resolve(host, port);
  for (std::size_t i = 0;; ++i) {
    try {
      ProvenSocket proven = connect_socket(std::nullopt, addresses[i], secret, deadline,
                                           "is nmad-sample --serve running there?");
      return Connection(std::move(proven.descriptor), std::move(proven.peer));
    } catch (const Error&) {
      if (i + 1 == addresses.size() || deadline.passed()) throw;
    }
  }
}

}  // namespace nmt::control
