// SPDX-License-Identifier: BSD-3-Clause
//
// The other end of a control connection, doing whatever it likes: raw bytes over a socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "control/control.h"
#include "control/socket.h"

namespace nmt::control {

class Stranger {
 public:
  explicit Stranger(const Address& address);  // connects
  explicit Stranger(Descriptor socket) : socket_(std::move(socket)) {}

  void say(const std::string& bytes) const;
  std::string hear(std::size_t size_bytes) const;  // shorter where the other side closes
  std::string hear_all() const;                    // until the other side closes, or 10 s

 private:
  Descriptor socket_;
};

// A socket that others connect to, without any protocol.
class BareListener {
 public:
  BareListener();
  std::uint16_t port() const { return port_; }
  Stranger accept() const;

 private:
  Descriptor socket_;
  std::uint16_t port_ = 0;
};

// Two connected sockets over loopback: a Connection, and who can say anything to it.
struct Pair {
  Connection connection;
  Stranger stranger;
};
Pair make_pair();

std::string framed(std::uint16_t kind, const std::string& text, std::uint16_t version = kVersion);
std::string announcement(std::uint16_t kind, std::uint64_t length_bytes);  // and nothing behind it

}  // namespace nmt::control
