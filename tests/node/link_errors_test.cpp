// SPDX-License-Identifier: BSD-3-Clause
#include "node/link_errors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace nmt::node {
namespace {

class LinkErrorFiles : public ::testing::Test {
 protected:
  LinkErrorFiles() {
    std::string name = std::filesystem::temp_directory_path() / "nmadtune-errors-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  ~LinkErrorFiles() override { std::filesystem::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = root_ + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  std::string root_;
};

TEST_F(LinkErrorFiles, OfAnInterfaceAreItsOwnAndTheRetransmits) {
  write("/sys/class/net/eth7/carrier_down_count", "3\n");
  write("/sys/class/net/eth7/statistics/rx_crc_errors", "41\n");
  write("/sys/class/net/eth7/statistics/rx_packets", "999\n");
  write("/proc/self/net/snmp", "Tcp: RtoMin InSegs RetransSegs\nTcp: 200 8 17\n");
  const LinkErrors errors = interface_errors("eth7", root_);
  EXPECT_EQ(
      errors,
      (LinkErrors{{"carrier_down_count", 3}, {"rx_crc_errors", 41}, {"tcp_retransmits", 17}}));
  EXPECT_EQ(interface_errors("eth8", root_), LinkErrors());
}

TEST_F(LinkErrorFiles, OfAVerbsPortAreThoseOfTheStandardAndOfTheDevice) {
  const std::string port = "/sys/class/infiniband/mlx5_0/ports/1/";
  write(port + "counters/symbol_error", "12\n");
  write(port + "counters/link_downed", "1\n");
  write(port + "hw_counters/packet_seq_err", "5\n");
  write(port + "counters/port_xmit_data", "123456\n");
  write(port + "counters/port_rcv_errors", "N/A (no PMA)\n");
  EXPECT_EQ(verbs_port_errors("mlx5_0", "1", root_),
            (LinkErrors{{"link_downed", 1}, {"packet_seq_err", 5}, {"symbol_error", 12}}));
}

TEST(LinkErrors, CountFromWhenTheMeasuringBegan) {
  const LinkErrors before = {{"symbol_error", 12}, {"link_downed", 1}};
  const LinkErrors now = {{"symbol_error", 15}, {"link_downed", 1}, {"appeared", 9}};
  EXPECT_EQ(errors_since(before, now), (LinkErrors{{"symbol_error", 3}}));
  EXPECT_EQ(errors_since(now, before), LinkErrors());  // counters that were set back
  EXPECT_EQ(to_text({{"link_downed", 1}, {"symbol_error", 12}}), "1 link_downed, 12 symbol_error");
}

TEST(LinkErrors, ReadAsNothingWhereTheKernelDoesNotTell) {
  EXPECT_EQ(tcp_retransmits(""), 0u);
  EXPECT_EQ(tcp_retransmits("Tcp: RtoMin RetransSegs\n"), 0u);
  EXPECT_EQ(tcp_retransmits("Tcp: RtoMin RetransSegs\nTcp: 200\n"), 0u);
  EXPECT_EQ(tcp_retransmits("Udp: RetransSegs\nUdp: 4\nTcp: RetransSegs\nTcp: -1\n"), 0u);
}

// The loopback exists everywhere and loses nothing.
TEST(LinkErrors, OfTheLoopbackAreRead) {
  const LinkErrors errors = interface_errors("lo");
  ASSERT_TRUE(errors.contains("rx_errors"));
  EXPECT_EQ(errors.at("rx_errors"), 0u);
}

}  // namespace
}  // namespace nmt::node
