// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/tcp/connect.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <sstream>

#include "core/deadline.h"
#include "core/error.h"
#include "core/id.h"

namespace nmt::drivers {
namespace {

// A process that waits for a killed peer ends within five seconds, with everything else it has to
// do.
constexpr std::chrono::seconds kOpenTimeout{3};
constexpr int kLostAfterMs = 3000;       // for a link that was cut without a reset
constexpr std::size_t kPendingMax = 64;  // connected, not yet proven

enum class Role : std::uint32_t { kMessages, kAcknowledgements };
constexpr std::size_t kRoles = 2;

// The first message of the connecting side, with the listener's secret. The listener answers with
// the same type and the other side's secret.
struct Greeting {
  static constexpr std::uint32_t kMagic = 0x31746d6e;  // "nmt1"
  std::uint32_t magic = kMagic;
  Role role = Role::kMessages;
  std::array<std::uint8_t, 16> secret{};
};
static_assert(sizeof(Greeting) == 24);

// Takes the same time for every position of the first difference.
bool same_secret(const std::array<std::uint8_t, 16>& a, const std::array<std::uint8_t, 16>& b) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  return difference == 0;
}

struct Introduction {
  std::string address;  // "-" from the connecting side
  unsigned port = 0;
  Id secret;

  std::string text() const { return fmt::format("{} {} {}", address, port, secret.hex()); }

  static Introduction parse(const std::string& rail, const std::string& text) {
    std::istringstream stream(text);
    Introduction introduction;
    std::string secret;
    if (!(stream >> introduction.address >> introduction.port >> secret) || secret.size() != 32 ||
        secret.find_first_not_of("0123456789abcdef") != std::string::npos) {
      throw Error(
          Fault::kPeer,
          rail +
              ": unexpected message from the peer; run the same version of nmadtune on both nodes");
    }
    introduction.secret = Id::parse(secret);
    return introduction;
  }
};

void set_option(int descriptor, int level, int option, int value) {
  ::setsockopt(descriptor, level, option, &value, sizeof value);
}

// Sets the same socket options as communication libraries: no packet waits for more data, and the
// kernel tunes the buffers (drivers/tcp/interfaces.cpp).
//
// A link that was cut without a reset shows on the connection of acknowledgements, which is nearly
// always idle: the kernel probes it every second, and gives it up after kLostAfterMs without an
// answer. The message connection must not have such a limit: a peer that receives late closes its
// window, and that time counts as well (tcp(7), TCP_USER_TIMEOUT).
void prepare(int descriptor, Role role) {
  set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  if (role != Role::kAcknowledgements) return;
  set_option(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 1);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set_option(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, kLostAfterMs);
}

Descriptor make_socket(const std::string& rail, TcpAddress own) {
  Descriptor descriptor(
      ::socket(own.socket.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!descriptor) throw system_error(Fault::kFailed, rail + ": socket", errno);
  own.set_port(0);
  if (::bind(descriptor.get(), reinterpret_cast<const sockaddr*>(&own.socket), own.length) != 0) {
    throw system_error(Fault::kFailed, fmt::format("{}: bind({})", rail, own.text()), errno);
  }
  return descriptor;
}

// A connection whose greeting is not complete.
struct PendingConnection {
  Descriptor descriptor;
  Greeting greeting;
  std::size_t heard_bytes = 0;

  enum class State { kListening, kGone, kDone };
  State hear() {
    auto* to = reinterpret_cast<char*>(&greeting) + heard_bytes;
    const ssize_t n = ::recv(descriptor.get(), to, sizeof greeting - heard_bytes, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return State::kListening;
    if (n <= 0) return State::kGone;
    heard_bytes += static_cast<std::size_t>(n);
    return heard_bytes == sizeof greeting ? State::kDone : State::kListening;
  }
};

class Listener {
 public:
  Listener(const std::string& rail, const TcpAddress& own)
      : rail_(rail), descriptor_(make_socket(rail, own)), secret_(Id::random()) {
    if (::listen(descriptor_.get(), SOMAXCONN) != 0) {
      throw system_error(Fault::kFailed, rail + ": listen", errno);
    }
    address_.length = sizeof address_.socket;
    ::getsockname(descriptor_.get(), reinterpret_cast<sockaddr*>(&address_.socket),
                  &address_.length);
  }

  std::string introduction() const {
    return Introduction{address_.text(), address_.port(), secret_}.text();
  }

  TcpConnections wait(const Id& answer) {
    const Deadline deadline(kOpenTimeout);
    while (!connected_[0] || !connected_[1]) {
      std::vector<pollfd> waiting{{descriptor_.get(), POLLIN, 0}};
      for (const PendingConnection& pending : pending_connections_)
        waiting.push_back({pending.descriptor.get(), POLLIN, 0});
      if (::poll(waiting.data(), waiting.size(), deadline.left_ms()) < 0 && errno != EINTR) {
        throw system_error(Fault::kFailed, rail_ + ": poll", errno);
      }
      if (deadline.passed())
        throw Error(Fault::kPeer, rail_ + ": the peer did not connect in time");
      hear_guests(answer);
      admit();
    }
    return {std::move(connected_[0]), std::move(connected_[1])};
  }

 private:
  // Accepts a connection; drops the oldest pending one if there are too many.
  void admit() {
    Descriptor descriptor(
        ::accept4(descriptor_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!descriptor) return;
    if (pending_connections_.size() == kPendingMax)
      pending_connections_.erase(pending_connections_.begin());
    pending_connections_.push_back({std::move(descriptor)});
  }

  void hear_guests(const Id& answer) {
    std::erase_if(pending_connections_, [&](PendingConnection& pending) {
      const PendingConnection::State state = pending.hear();
      if (state == PendingConnection::State::kDone) welcome(pending, answer);
      return state != PendingConnection::State::kListening;
    });
  }

  // Keeps a connection that proves the secret; closes any other.
  void welcome(PendingConnection& pending, const Id& answer) {
    const auto role = static_cast<std::size_t>(pending.greeting.role);
    if (pending.greeting.magic != Greeting::kMagic || role >= kRoles || connected_[role] ||
        !same_secret(pending.greeting.secret, secret_.bytes)) {
      return;
    }
    const Greeting reply{Greeting::kMagic, pending.greeting.role, answer.bytes};
    if (::send(pending.descriptor.get(), &reply, sizeof reply, MSG_NOSIGNAL) != sizeof reply)
      return;
    prepare(pending.descriptor.get(), pending.greeting.role);
    connected_[role] = std::move(pending.descriptor);
  }

  std::string rail_;
  Descriptor descriptor_;
  TcpAddress address_;
  Id secret_;
  std::vector<PendingConnection> pending_connections_;
  std::array<Descriptor, kRoles> connected_;
};

void wait_for(const std::string& rail, int descriptor, short events, const Deadline& deadline) {
  pollfd waiting{descriptor, events, 0};
  while (::poll(&waiting, 1, deadline.left_ms()) <= 0) {
    if (deadline.passed()) throw Error(Fault::kPeer, rail + ": the peer does not answer");
  }
}

Descriptor call(const std::string& rail, const TcpAddress& own, const TcpAddress& peer,
                const Greeting& greeting, const Id& own_secret, const Deadline& deadline) {
  Descriptor descriptor = make_socket(rail, own);
  const std::string what = fmt::format("{}: connect({})", rail, peer.text());
  if (::connect(descriptor.get(), reinterpret_cast<const sockaddr*>(&peer.socket), peer.length) !=
          0 &&
      errno != EINPROGRESS) {
    throw system_error(Fault::kPeer, what, errno);
  }
  wait_for(rail, descriptor.get(), POLLOUT, deadline);
  int error = 0;
  socklen_t length = sizeof error;
  ::getsockopt(descriptor.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) throw system_error(Fault::kPeer, what, error);
  if (::send(descriptor.get(), &greeting, sizeof greeting, MSG_NOSIGNAL) != sizeof greeting) {
    throw system_error(Fault::kPeer, rail + ": send(greeting)", errno);
  }
  PendingConnection host{std::move(descriptor)};
  PendingConnection::State state = PendingConnection::State::kListening;
  while (state == PendingConnection::State::kListening) {
    wait_for(rail, host.descriptor.get(), POLLIN, deadline);
    state = host.hear();
  }
  if (state == PendingConnection::State::kGone || host.greeting.magic != Greeting::kMagic ||
      host.greeting.role != greeting.role || !same_secret(host.greeting.secret, own_secret.bytes)) {
    throw Error(Fault::kPeer, rail + ": another program listens at the peer's address");
  }
  prepare(host.descriptor.get(), greeting.role);
  return std::move(host.descriptor);
}

}  // namespace

TcpConnections tcp_listen(const std::string& rail, TcpAddress own, Exchange& exchange) {
  Listener listener(rail, own);
  const std::string text = exchange.swap(listener.introduction());
  return listener.wait(Introduction::parse(rail, text).secret);
}

TcpConnections tcp_connect(const std::string& rail, TcpAddress own, Exchange& exchange) {
  const Id secret = Id::random();
  const std::string text = exchange.swap(Introduction{"-", 0, secret}.text());
  const Introduction near = Introduction::parse(rail, text);
  const std::optional<TcpAddress> peer =
      near.port > 0xffff ? std::nullopt
                         : TcpAddress::parse(near.address, static_cast<std::uint16_t>(near.port));
  if (!peer || peer->socket.ss_family != own.socket.ss_family) {
    throw Error(Fault::kPeer,
                fmt::format("{}: no route from {} to the peer's address", rail, own.text()));
  }
  const Deadline deadline(kOpenTimeout);
  TcpConnections connections;
  Greeting greeting{Greeting::kMagic, Role::kMessages, near.secret.bytes};
  connections.messages = call(rail, own, *peer, greeting, secret, deadline);
  greeting.role = Role::kAcknowledgements;
  connections.acknowledgements = call(rail, own, *peer, greeting, secret, deadline);
  return connections;
}

}  // namespace nmt::drivers
