// SPDX-License-Identifier: BSD-3-Clause
//
// What a node says of itself to its peer: as many ports as the reader takes come through, and more
// are not sent.
#include "tools/peer/peer_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "control/control.h"
#include "core/error.h"

namespace nmt::tools {
namespace {

using ::testing::HasSubstr;

PeerDescription with_ports(std::size_t count) {
  PeerDescription introduction{.platform = {.name = "2 cores of a processor"},
                               .node = {.host = "node17.cluster.example"}};
  for (std::size_t i = 0; i < count; ++i) {
    const Fields fingerprint = {{"driver", "vmxnet3"},
                                {"mtu", "9000"},
                                {"speed_mbps", "100000"},
                                {"duplex", "full"},
                                {"tso", "on"},
                                {"gso", "on"},
                                {"bus", "0000:3b:00.1"},
                                {"numa_node", "1"},
                                {"firmware", "20.31.1014"},
                                {"subsystem", "0x15b3:0x0069"}};
    introduction.ports.push_back(
        {.rail = {.driver = "tcp",
                  .name = "interface" + std::to_string(i),
                  .fingerprint = fingerprint},
         .address = "10.0." + std::to_string(i) + ".1/24 fe80:0123:4567:89ab:cdef:0123:4567:89ab"});
  }
  return introduction;
}

std::string through_a_connection(const std::string& text) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return "";
  control::Connection from{Descriptor(ends[0]), "far"}, to{Descriptor(ends[1]), "near"};
  std::jthread sender([&] { from.send(1, text); });
  return to.receive(std::chrono::seconds(10)).text;
}

TEST(PeerDescription, Of256PortsIsRead) {
  const PeerDescription sent = with_ports(kPortsMax);
  const std::string text = through_a_connection(peer_description_text(sent, "nmad-sample"));
  const PeerDescription read = peer_description_from(text, "nmad-sample");
  EXPECT_EQ(read.node.host, sent.node.host);
  ASSERT_EQ(read.ports.size(), sent.ports.size());
  for (std::size_t i = 0; i < sent.ports.size(); ++i) {
    EXPECT_EQ(read.ports[i].rail, sent.ports[i].rail);
    EXPECT_EQ(read.ports[i].address, sent.ports[i].address);
  }
}

std::string refusal(const PeerDescription& introduction) {
  try {
    peer_description_text(introduction, "nmad-sample");
  } catch (const Error& error) {
    return error.what();
  }
  return "sent";
}

TEST(PeerDescription, WhatThePeerWouldRefuseIsNotSent) {
  EXPECT_THAT(refusal(with_ports(kPortsMax + 1)), HasSubstr("257 interfaces"));
  PeerDescription wordy = with_ports(1);
  wordy.ports[0].rail.fingerprint["firmware"] = std::string(control::kMessageBytesMax, 'x');
  EXPECT_THAT(refusal(wordy), HasSubstr("at most 1048576"));
}

}  // namespace
}  // namespace nmt::tools
