// SPDX-License-Identifier: BSD-3-Clause
#include "control/connection.h"

#include "control/socket.h"
#include "control/socket_wire.h"

namespace nmt::control {

void send_message(Wire& wire, std::uint16_t kind, std::string_view text) {
  const auto frame = encode({.kind = kind, .length_bytes = text.size()});
  std::string bytes(frame.begin(), frame.end());
  bytes += text;
  wire.write(bytes);
}

Message receive_message(Wire& wire, const std::string& peer, const Deadline& deadline,
                        std::size_t length_bytes_max) {
  std::array<std::uint8_t, kFrameBytes> bytes{};
  wire.read(bytes, deadline);
  const Frame frame = decode(bytes, length_bytes_max, peer);
  Message message{.kind = frame.kind, .text = std::string(frame.length_bytes, '\0')};
  wire.read({reinterpret_cast<std::uint8_t*>(message.text.data()), message.text.size()}, deadline);
  return message;
}

Connection::Connection(Descriptor descriptor, std::string peer) : peer_(std::move(peer)) {
  detect_loss(descriptor.get());
  wire_ = std::make_unique<SocketWire>(std::move(descriptor), peer_);
}

Connection::Connection(std::unique_ptr<Wire> wire, std::string peer)
    : wire_(std::move(wire)), peer_(std::move(peer)) {}

void Connection::send(std::uint16_t kind, std::string_view text) {
  send_message(*wire_, kind, text);
}

Message Connection::receive(std::chrono::nanoseconds timeout, std::size_t length_bytes_max) {
  return receive_message(*wire_, peer_, Deadline(timeout), length_bytes_max);
}

bool Connection::has_message(std::chrono::milliseconds timeout) const {
  return wire_->readable(timeout);
}

}  // namespace nmt::control
