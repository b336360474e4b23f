// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/message.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "core/error.h"

namespace nmt::drivers {
namespace {

ConstBytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string text_of(ConstBytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Frame good_frame() {
  const Packet packets[] = {{bytes_of("head"), bytes_of("body")}};
  return make_frame(FrameKind::kEager, 5, packets);
}

bool is_refused(const Frame& frame) {
  try {
    check_frame(frame, 5, "tcp:r0");
  } catch (const Error& error) {
    return error.fault() == Fault::kPeer;
  }
  return false;
}

TEST(CheckFrame, TakesWhatMakeFrameMakes) { EXPECT_FALSE(is_refused(good_frame())); }

TEST(CheckFrame, RefusesAnyFieldThatCannotBe) {
  const auto with = [](auto&& change) {
    Frame frame = good_frame();
    change(frame);
    return is_refused(frame);
  };
  EXPECT_TRUE(with([](Frame& f) { f.magic = 0x54544820; }));  // "HTTP", or another byte order
  EXPECT_TRUE(with([](Frame& f) { f.kind = FrameKind::kAcknowledge; }));
  EXPECT_TRUE(with([](Frame& f) { f.kind = static_cast<FrameKind>(77); }));
  EXPECT_TRUE(with([](Frame& f) { f.number = 6; }));
  EXPECT_TRUE(with([](Frame& f) { f.packets = 0; }));
  EXPECT_TRUE(with([](Frame& f) { f.packets = kPacketsMax + 1; }));
  EXPECT_TRUE(with([](Frame& f) { f.header_bytes = kHeaderBytesMax + 1; }));
  EXPECT_TRUE(with([](Frame& f) { f.header_bytes = 0xffffffff; }));
  EXPECT_TRUE(with([](Frame& f) { f.body_bytes = kBodyBytesMax + 1; }));
  EXPECT_TRUE(with([](Frame& f) { f.body_bytes = std::uint64_t{1} << 60; }));
}

TEST(Gather, GoesThroughItsPiecesInOrder) {
  Gather gather;
  gather.add(bytes_of("abc"));
  gather.add(bytes_of(""));
  gather.add(bytes_of("defgh"));
  std::string to(4, '.');
  EXPECT_EQ(gather.copy_to(std::as_writable_bytes(std::span(to))), 4u);
  EXPECT_EQ(to, "abcd");
  ASSERT_EQ(gather.left().size(), 1u);
  EXPECT_EQ(text_of(gather.left()[0]), "efgh");
  gather.advance(1);
  EXPECT_EQ(gather.copy_to(std::as_writable_bytes(std::span(to))), 3u);
  EXPECT_EQ(to, "fghd");
  EXPECT_TRUE(gather.done());
}

TEST(Start, FlattensByCopyAndListsByIovec) {
  const Packet packets[] = {{bytes_of("h1"), bytes_of("body1")},
                            {bytes_of("h2"), bytes_of("body2")}};
  const Frame frame = make_frame(FrameKind::kEager, 0, packets);
  EXPECT_EQ(frame.header_bytes, 4u);
  EXPECT_EQ(frame.body_bytes, 10u);
  Outgoing message;
  start(message, Method::kCopy, frame, {}, packets);
  ASSERT_EQ(message.gather.left().size(), 1u);
  EXPECT_EQ(text_of(message.gather.left()[0].subspan(sizeof frame)), "h1h2body1body2");
  start(message, Method::kIovec, frame, bytes_of("+"), packets);
  ASSERT_EQ(message.gather.left().size(), 3u);
  EXPECT_EQ(text_of(message.gather.left()[0].subspan(sizeof frame)), "+h1h2");
  EXPECT_EQ(message.gather.left()[2].data(), packets[1].body.data());
  start(message, Method::kRendezvous, frame, {}, packets);
  EXPECT_EQ(message.gather.left().size(), 1u);
  EXPECT_EQ(message.bodies.size(), 2u);
}

TEST(Outbox, KeepsItsOrderAndUsesTheWarmestMemoryAgain) {
  Outbox outbox;
  Outgoing* first = &outbox.push();
  Outgoing* second = &outbox.push();
  Outgoing* third = &outbox.push();
  EXPECT_EQ(&outbox[0], first);
  outbox.pop();
  EXPECT_EQ(&outbox[0], second);
  EXPECT_EQ(&outbox[1], third);
  EXPECT_EQ(&outbox.push(), first);
  EXPECT_EQ(&outbox[2], first);
  EXPECT_EQ(outbox.size(), 3u);
}

TEST(Incoming, TakesNoMoreThanItsMessage) {
  std::string headers(8, '.');
  std::string bodies(8, '.');
  Incoming incoming;
  incoming.post(std::as_writable_bytes(std::span(headers)),
                std::as_writable_bytes(std::span(bodies)), Delivery::kExpected);
  incoming.begin(good_frame(), "tcp:r0");
  EXPECT_EQ(incoming.put(bytes_of("hea")), 3u);
  EXPECT_FALSE(incoming.placed());
  EXPECT_EQ(incoming.put(bytes_of("dbo")), 3u);
  EXPECT_TRUE(incoming.placed());
  EXPECT_EQ(incoming.put(bytes_of("dynext")), 2u);
  EXPECT_TRUE(incoming.complete());
  EXPECT_EQ(incoming.finish(), 4u);
  EXPECT_FALSE(incoming.posted());
  EXPECT_EQ(headers, "head....");
  EXPECT_EQ(bodies, "body....");
}

TEST(Incoming, CopiesAnUnexpectedBodyOnlyInTheEnd) {
  std::string headers(4, '.');
  std::string bodies(4, '.');
  Incoming incoming;
  incoming.post(std::as_writable_bytes(std::span(headers)),
                std::as_writable_bytes(std::span(bodies)), Delivery::kUnexpected);
  incoming.begin(good_frame(), "tcp:r0");
  incoming.put(bytes_of("headbody"));
  EXPECT_EQ(bodies, "....");
  incoming.finish();
  EXPECT_EQ(bodies, "body");
}

}  // namespace
}  // namespace nmt::drivers
