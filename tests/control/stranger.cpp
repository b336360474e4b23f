// SPDX-License-Identifier: BSD-3-Clause
#include "tests/control/stranger.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>

namespace nmt::control {

Stranger::Stranger(const Address& address)
    : socket_(::socket(address.socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const timeval timeout = {.tv_sec = 10, .tv_usec = 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address.socket),
                address.length) != 0) {
    std::abort();
  }
}

void Stranger::say(const std::string& bytes) const {
  [[maybe_unused]] const ssize_t n =
      ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

std::string Stranger::hear(std::size_t size_bytes) const {
  std::string heard;
  char byte = 0;
  while (heard.size() < size_bytes && ::recv(socket_.get(), &byte, 1, 0) == 1) heard += byte;
  return heard;
}

std::string Stranger::hear_all() const { return hear(std::size_t{1} << 20); }

BareListener::BareListener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) std::abort();
  ::listen(socket_.get(), 8);
  socklen_t length = sizeof own;
  ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&own), &length);
  port_ = ntohs(own.sin_port);
}

Stranger BareListener::accept() const {
  return Stranger(Descriptor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)));
}

Pair make_pair() {
  const BareListener listener;
  Descriptor connected = make_socket(AF_INET);
  const Address address = resolve("127.0.0.1", listener.port()).front();
  ::connect(connected.get(), reinterpret_cast<const sockaddr*>(&address.socket), address.length);
  Stranger stranger = listener.accept();
  return {Connection(std::move(connected), address.text()), std::move(stranger)};
}

std::string framed(std::uint16_t kind, const std::string& text, std::uint16_t version) {
  const auto frame = encode({.version = version, .kind = kind, .length_bytes = text.size()});
  return std::string(frame.begin(), frame.end()) + text;
}

std::string announcement(std::uint16_t kind, std::uint64_t length_bytes) {
  const auto frame = encode({.kind = kind, .length_bytes = length_bytes});
  return {frame.begin(), frame.end()};
}

}  // namespace nmt::control
