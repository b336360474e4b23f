// SPDX-License-Identifier: BSD-3-Clause
#include "control/connection.h"

#include "control/socket_wire.h"

namespace nmt::control {

Connection::Connection(Descriptor descriptor, std::string peer)
    : wire_(std::make_unique<SocketWire>(std::move(descriptor), peer)), peer_(std::move(peer)) {}

Connection::Connection(std::unique_ptr<Wire> wire, std::string peer)
    : wire_(std::move(wire)), peer_(std::move(peer)) {}

void Connection::send(std::uint16_t kind, std::string_view text) {
  const auto frame = encode({.kind = kind, .length_bytes = text.size()});
  std::string bytes(frame.begin(), frame.end());
  bytes += text;
  wire_->write(bytes);
}

Message Connection::receive(std::chrono::nanoseconds timeout, std::size_t length_bytes_max) {
  const Deadline deadline(timeout);
  std::array<std::uint8_t, kFrameBytes> bytes{};
  wire_->read(bytes, deadline);
  const Frame frame = decode(bytes, length_bytes_max, peer_);
  Message message{.kind = frame.kind, .text = std::string(frame.length_bytes, '\0')};
  wire_->read({reinterpret_cast<std::uint8_t*>(message.text.data()), message.text.size()},
              deadline);
  return message;
}

bool Connection::has_message(std::chrono::milliseconds timeout) const {
  return wire_->readable(timeout);
}

}  // namespace nmt::control
