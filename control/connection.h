// SPDX-License-Identifier: BSD-3-Clause
//
// A connection to a peer that has proven itself: framed messages in both directions, each step with
// a deadline.
//
// A message is a kind, which means something to those who talk, and text. After an Error a
// connection can only be destroyed: half a message may have crossed. Belongs to one thread.
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

class Connection {
 public:
  // Of a connected socket that does not block.
  Connection(Descriptor descriptor, std::string peer);
  Connection(std::unique_ptr<Wire> wire, std::string peer);

  // Error(kPeer) where the peer has gone, or takes nothing any more.
  void send(std::uint16_t kind, std::string_view text);

  // The next message, whole within `timeout`. Error(kPeer) where it does not come, the peer has
  // gone, or what comes is not a message of at most `length_bytes_max`.
  Message receive(std::chrono::nanoseconds timeout,
                  std::size_t length_bytes_max = kMessageBytesMax);

  // Whether one is there, or its beginning, or the peer has gone: receive() will tell. Waits so
  // long for it.
  bool has_message(std::chrono::milliseconds timeout = std::chrono::milliseconds(0)) const;

  const std::string& peer() const { return peer_; }  // address, for messages

 private:
  std::unique_ptr<Wire> wire_;
  std::string peer_;
};

}  // namespace nmt::control
