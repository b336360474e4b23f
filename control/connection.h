// SPDX-License-Identifier: BSD-3-Clause
//
// A connection to a peer that has proven that it knows the secret: framed messages in both
// directions. Each step has a deadline.
//
// A message is a kind, whose meaning the two ends define, and a text. After an Error a connection
// can only be destroyed: half a message may have crossed. Belongs to one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "control/frame.h"
#include "control/wire.h"
#include "core/descriptor.h"

namespace nmt::control {

struct Message {
  std::uint16_t kind = 0;
  std::string text;
};

// Over any wire. Error(kPeer) as Connection's.
void send_message(Wire& wire, std::uint16_t kind, std::string_view text);
Message receive_message(Wire& wire, const std::string& peer, const Deadline& deadline,
                        std::size_t length_bytes_max);

class Connection {
 public:
  // Takes a connected, non-blocking socket, and detects from now on that its peer is lost.
  Connection(Descriptor descriptor, std::string peer);
  Connection(std::unique_ptr<Wire> wire, std::string peer);

  // Error(kPeer) if the peer is gone or no longer receives.
  void send(std::uint16_t kind, std::string_view text);

  // The next message, complete within `timeout`. Error(kPeer) if it does not arrive, if the peer is
  // gone, or if the bytes are not a message of at most `length_bytes_max`.
  Message receive(std::chrono::nanoseconds timeout,
                  std::size_t length_bytes_max = kMessageBytesMax);

  // True if a message or its beginning has arrived, or if the peer is gone: receive() will say
  // which. Waits for that up to `timeout`.
  bool has_message(std::chrono::milliseconds timeout = std::chrono::milliseconds(0)) const;

  const std::string& peer() const { return peer_; }  // address, for messages

 private:
  std::unique_ptr<Wire> wire_;
  std::string peer_;
};

}  // namespace nmt::control
