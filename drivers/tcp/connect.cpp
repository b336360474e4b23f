// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/tcp/connect.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <sstream>

#include "core/deadline.h"
#include "core/error.h"

namespace nmt::drivers {
namespace {

using control::Address;
using control::Secret;

// A process that waits for a killed peer ends within five seconds, with everything else it has to
// do.
constexpr std::chrono::seconds kOpenTimeout{3};
constexpr int kLostAfterMs = 3000;  // for a link that was cut without a reset

// Of the near side; the far side sends nothing that matters.
struct Introduction {
  Address address;
  Secret secret;

  std::string text() const {
    return fmt::format("{} {} {}", address.host(), address.port(), secret.hex());
  }

  static Introduction parse(const std::string& text) {
    std::istringstream stream(text);
    std::string host, secret;
    std::uint32_t port = 0;
    if (!(stream >> host >> port >> secret) || port > 0xffff) refuse();
    const auto address = Address::parse(host, static_cast<std::uint16_t>(port));
    if (!address) refuse();
    try {
      return {*address, Secret::parse(secret, "of the rail")};
    } catch (const Error&) {
      refuse();
    }
  }

  [[noreturn]] static void refuse() {
    throw Error(Fault::kPeer,
                "unexpected message from the peer; run the same version of nmadtune on both nodes");
  }
};

void set_option(int descriptor, int level, int option, int value) {
  ::setsockopt(descriptor, level, option, &value, sizeof value);
}

// Sets the same socket options as communication libraries: no packet waits for more data, and the
// kernel tunes the buffers (drivers/tcp/interfaces.cpp).
void prepare(const Descriptor& connection) {
  set_option(connection.get(), IPPROTO_TCP, TCP_NODELAY, 1);
}

// A link that was cut without a reset shows on the connection of acknowledgements, which is nearly
// always idle: the kernel probes it every second, and gives it up after kLostAfterMs without an
// answer. The message connection must not have such a limit: a peer that receives late closes its
// window, and that time counts as well (tcp(7), TCP_USER_TIMEOUT).
void detect_cut(const Descriptor& acknowledgements) {
  set_option(acknowledgements.get(), SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(acknowledgements.get(), IPPROTO_TCP, TCP_KEEPIDLE, 1);
  set_option(acknowledgements.get(), IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set_option(acknowledgements.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, kLostAfterMs);
}

// Both ends get the connection of messages first: the far side connects the second only when the
// first is proven.
template <class Next>
TcpConnections both(Next&& next) {
  TcpConnections connections;
  connections.messages = next();
  connections.acknowledgements = next();
  prepare(connections.messages);
  prepare(connections.acknowledgements);
  detect_cut(connections.acknowledgements);
  return connections;
}

// An address or a host that does not fit is no mistake of the user.
template <class Action>
TcpConnections naming(const std::string& rail, Action&& action) {
  try {
    return action();
  } catch (const Error& error) {
    const bool usage = error.fault() == Fault::kUsage;
    throw Error(usage ? Fault::kFailed : error.fault(), fmt::format("{}: {}", rail, error.what()));
  }
}

}  // namespace

TcpConnections tcp_listen(const std::string& rail, Address own, Exchange& exchange) {
  return naming(rail, [&] {
    own.set_port(0);
    control::Listener listener(own);
    const Introduction introduction{listener.address(), Secret::random()};
    exchange.swap(introduction.text());
    const Deadline deadline(kOpenTimeout);
    return both([&] {
      const std::chrono::milliseconds left(deadline.left_ms());
      return listener.accept_socket(introduction.secret, left, {}).value().descriptor;
    });
  });
}

TcpConnections tcp_connect(const std::string& rail, Address own, Exchange& exchange) {
  return naming(rail, [&] {
    const Introduction near = Introduction::parse(exchange.swap("-"));
    if (near.address.socket.ss_family != own.socket.ss_family) {
      throw Error(Fault::kPeer,
                  fmt::format("{} and the peer's address belong to different families (IPv4 and "
                              "IPv6); give both interfaces an address of one family",
                              own.host()));
    }
    own.set_port(0);
    const Deadline deadline(kOpenTimeout);
    return both([&] {
      return control::connect_socket(own, near.address, near.secret, deadline).descriptor;
    });
  });
}

}  // namespace nmt::drivers
