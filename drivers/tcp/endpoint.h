// SPDX-License-Identifier: BSD-3-Clause
//
// One end of a tcp rail, over two connected, non-blocking sockets (drivers/tcp/connect.h).
//
// A small message costs mostly system calls, so one call reads a frame, its headers and a small
// body into an inbox of a few pages. The rest of a larger body is read directly into place. A
// rendezvous is a request on the message connection, then an acknowledgement on the other
// connection when the receive is posted, then the bodies, read directly into place.
#pragma once

#include <array>
#include <string>

#include "drivers/message.h"
#include "drivers/tcp/connect.h"

namespace nmt::drivers {

class TcpEndpoint final : public Endpoint {
 public:
  TcpEndpoint(std::string rail, TcpConnections connections);

  void send(Method method, std::span<const Packet> packets) override;
  void receive(Bytes headers, Bytes bodies, Delivery delivery) override;
  void listen(Bytes headers) override;
  void accept(std::span<const Bytes> bodies) override;
  Progress poll() override;
  bool watch(std::vector<pollfd>& watched) override;
  void copy(Bytes to, ConstBytes from) override;
  std::size_t size_bytes_max(Method method) const override;

 private:
  static constexpr std::size_t kInboxBytes = 16384;

  void wake_at(int size_bytes);
  void push();
  bool push_gather(Gather& gather);
  bool acknowledged();
  bool take();
  bool fill_inbox();
  void begin_message();
  void acknowledge();
  std::size_t read(int descriptor, Bytes to, int flags);
  void check_peer();

  std::string rail_;
  TcpConnections connections_;

  Outbox outbox_;
  unsigned sent_ = 0;  // not yet reported by poll()
  std::uint32_t sends_started_ = 0;
  Frame acknowledgement_;  // being received
  std::size_t acknowledgement_bytes_ = 0;

  Incoming incoming_;
  std::array<std::byte, kInboxBytes> inbox_;
  Bytes unread_;          // part of the inbox
  bool drained_ = false;  // the last read took all that there was
  std::uint32_t receives_begun_ = 0;
  unsigned idle_polls_ = 0;
  int wake_bytes_ = 1;  // SO_RCVLOWAT of the message connection
};

}  // namespace nmt::drivers
