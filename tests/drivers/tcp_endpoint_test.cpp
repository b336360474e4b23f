// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/tcp/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>

#include "core/error.h"
#include "tests/drivers/pair.h"

namespace nmt::drivers {
namespace {

using testing::HasSubstr;

// An endpoint whose other end is whatever the test says.
struct Exposed {
  std::unique_ptr<Endpoint> endpoint;
  Descriptor messages;
  Descriptor acknowledgements;
};
Exposed expose() {
  Exposed exposed;
  TcpConnections connections;
  for (auto [ours, theirs] :
       {std::pair{&connections.messages, &exposed.messages},
        std::pair{&connections.acknowledgements, &exposed.acknowledgements}}) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    *ours = Descriptor(ends[0]);
    *theirs = Descriptor(ends[1]);
  }
  exposed.endpoint = std::make_unique<TcpEndpoint>("tcp:test", std::move(connections));
  return exposed;
}

// What the endpoint says of these bytes from its peer, with a receive of 1000 bytes posted.
std::string answer_to(ConstBytes bytes) {
  Exposed exposed = expose();
  TestReceive receive(64, 1000);
  receive.post(*exposed.endpoint);
  EXPECT_EQ(::send(exposed.messages.get(), bytes.data(), bytes.size(), 0),
            static_cast<ssize_t>(bytes.size()));
  try {
    for (int i = 0; i < 100; ++i) {
      if (exposed.endpoint->poll().received) return "received";
    }
  } catch (const Error& error) {
    return (error.fault() == Fault::kPeer ? "peer: " : "failed: ") + std::string(error.what());
  }
  return "waits";
}

TEST(TcpEndpoint, GarbageIsALostPeer) {
  const std::string garbage = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
  EXPECT_THAT(answer_to(std::as_bytes(std::span(garbage))), HasSubstr("peer: tcp:test"));
}

TEST(TcpEndpoint, AnAbsurdLengthIsRefusedBeforeAnythingIsDoneWithIt) {
  Frame frame;
  frame.packets = 1;
  frame.body_bytes = std::uint64_t{1} << 60;
  EXPECT_THAT(answer_to(std::as_bytes(std::span(&frame, 1))), HasSubstr("peer: tcp:test"));
}

TEST(TcpEndpoint, HalfAFrameWaitsForItsOtherHalf) {
  Frame frame;
  frame.packets = 1;
  EXPECT_EQ(answer_to(std::as_bytes(std::span(&frame, 1)).first(23)), "waits");
  EXPECT_EQ(answer_to(std::as_bytes(std::span(&frame, 1))), "received");
}

TEST(TcpEndpoint, OneByteAtATimeArrivesWhole) {
  Exposed exposed = expose();
  const TestMessage message(1, 500);
  TestReceive receive(message);
  receive.post(*exposed.endpoint);
  Frame frame;
  frame.packets = 1;
  frame.header_bytes = 64;
  frame.body_bytes = 500;
  std::vector<std::byte> bytes(sizeof frame);
  std::memcpy(bytes.data(), &frame, sizeof frame);
  for (const auto& part : {message.headers(), message.bodies()}) {
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  for (const std::byte byte : bytes) {
    ASSERT_FALSE(receive.done());
    ASSERT_EQ(::send(exposed.messages.get(), &byte, 1, 0), 1);
    receive.take(exposed.endpoint->poll());
  }
  EXPECT_TRUE(receive.holds(message));
}

TEST(TcpEndpoint, AnAcknowledgementOfSomethingElseIsALostPeer) {
  Exposed exposed = expose();
  const TestMessage message(1, 500);
  exposed.endpoint->send(Method::kRendezvous, message.packets());
  Frame frame;
  frame.kind = FrameKind::kAcknowledge;
  frame.number = 3;
  ASSERT_EQ(::send(exposed.acknowledgements.get(), &frame, sizeof frame, 0), 24);
  EXPECT_THROW(exposed.endpoint->poll(), Error);
}

}  // namespace
}  // namespace nmt::drivers
