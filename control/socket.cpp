// SPDX-License-Identifier: BSD-3-Clause
#include "control/socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "core/error.h"

namespace nmt::control {
namespace {

constexpr int kLostAfterMs = 3000;

void set_option(int descriptor, int level, int option, int value) {
  ::setsockopt(descriptor, level, option, &value, sizeof value);
}

[[noreturn]] void refuse(const std::string& text) {
  throw Error(Fault::kUsage,
              fmt::format("'{}' is not an address; write HOST, HOST:PORT or [IPv6]:PORT", text));
}

std::uint16_t parse_port(std::string_view digits, const std::string& text) {
  std::uint16_t port = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (result.ec != std::errc() || result.ptr != digits.data() + digits.size()) refuse(text);
  return port;
}

}  // namespace

std::string Address::host() const {
  char text[INET6_ADDRSTRLEN] = "?";
  const void* bytes =
      socket.ss_family == AF_INET
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(&socket)->sin_addr)
          : &reinterpret_cast<const sockaddr_in6*>(&socket)->sin6_addr;
  ::inet_ntop(socket.ss_family, bytes, text, sizeof text);
  return text;
}

// Both address families have the port at the same offset.
std::uint16_t Address::port() const {
  return ntohs(reinterpret_cast<const sockaddr_in*>(&socket)->sin_port);
}

void Address::set_port(std::uint16_t port) {
  reinterpret_cast<sockaddr_in*>(&socket)->sin_port = htons(port);
}

std::optional<Address> Address::parse(const std::string& host, std::uint16_t port) {
  Address address;
  auto* four = reinterpret_cast<sockaddr_in*>(&address.socket);
  auto* six = reinterpret_cast<sockaddr_in6*>(&address.socket);
  if (::inet_pton(AF_INET, host.c_str(), &four->sin_addr) == 1) {
    address.socket.ss_family = AF_INET;
    address.length = sizeof *four;
  } else if (::inet_pton(AF_INET6, host.c_str(), &six->sin6_addr) == 1) {
    address.socket.ss_family = AF_INET6;
    address.length = sizeof *six;
  } else {
    return std::nullopt;
  }
  address.set_port(port);
  return address;
}

std::string Address::text() const {
  return socket.ss_family == AF_INET ? fmt::format("{}:{}", host(), port())
                                     : fmt::format("[{}]:{}", host(), port());
}

HostPort parse_host_port(const std::string& text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string::npos || end == 1) refuse(text);
    const std::string rest = text.substr(end + 1);
    if (!rest.empty() && (rest.front() != ':' || rest.size() == 1)) refuse(text);
    HostPort result{.host = text.substr(1, end - 1)};
    if (!rest.empty()) result.port = parse_port(std::string_view(rest).substr(1), text);
    return result;
  }
  const std::size_t colon = text.find(':');
  if (colon != text.rfind(':')) return {.host = text, .port = {}};  // a bare IPv6 address
  HostPort result{.host = text.substr(0, colon)};
  if (result.host.empty()) refuse(text);
  if (colon != std::string::npos) {
    result.port = parse_port(std::string_view(text).substr(colon + 1), text);
  }
  return result;
}

std::vector<Address> resolve(const std::string& host, std::uint16_t port) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int status = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &list);
  if (status != 0) {
    throw Error(Fault::kUsage, fmt::format("host '{}': {}", host, ::gai_strerror(status)));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, ::freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_family != AF_INET && entry->ai_family != AF_INET6) continue;
    Address& address = addresses.emplace_back();
    address.length = entry->ai_addrlen;
    std::memcpy(&address.socket, entry->ai_addr, entry->ai_addrlen);
  }
  return addresses;
}

Descriptor make_socket(int family) {
  Descriptor descriptor(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!descriptor) throw system_error(Fault::kFailed, "socket", errno);
  return descriptor;
}

// One probe per second while the connection is idle: the only packets during a measured block.
void detect_loss(int descriptor) {
  set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 1);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set_option(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, kLostAfterMs);
}

void wait_until(int descriptor, short events, const Deadline& deadline, const std::string& peer,
                const char* what) {
  pollfd waiting{descriptor, events, 0};
  while (::poll(&waiting, 1, deadline.left_ms()) <= 0) {
    if (deadline.passed()) throw Error(Fault::kPeer, fmt::format("{}: {}", peer, what));
  }
}

}  // namespace nmt::control
