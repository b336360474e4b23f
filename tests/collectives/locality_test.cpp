// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/locality.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

namespace nmt::collectives {
namespace {

namespace fs = std::filesystem;

// A machine of two NUMA nodes of two cores, with a card at the second.
class Places : public ::testing::Test {
 protected:
  Places() : root_(fs::temp_directory_path() / ("nmt-place-" + std::to_string(::getpid()))) {
    write("sys/devices/system/node/online", "0-1");
    write("sys/devices/system/node/node0/cpulist", "0-1");
    write("sys/devices/system/node/node1/cpulist", "2-3");
    write("sys/class/infiniband/mlx5_0/device/numa_node", "1");
    write("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE");
    write("proc/sys/kernel/random/boot_id", "a");
  }
  ~Places() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << '\n';
  }

  fs::path root_;
};

TEST_F(Places, TellTheNumaNodeAndWhetherANetworkCardHangsThere) {
  EXPECT_EQ(locality_of(1, root_).numa, 0);
  EXPECT_FALSE(locality_of(1, root_).near_network);
  EXPECT_EQ(locality_of(2, root_).numa, 1);
  EXPECT_TRUE(locality_of(2, root_).near_network);
}

TEST_F(Places, TellWhetherACardThatIsUsedHangsThere) {
  write("sys/class/infiniband/mlx5_1/device/numa_node", "0");
  write("sys/class/infiniband/mlx5_1/ports/1/state", "1: DOWN");
  write("sys/class/net/eth0/device/numa_node", "0");
  write("sys/class/net/eth0/operstate", "up");
  EXPECT_FALSE(locality_of(1, root_).near_network);
  EXPECT_TRUE(locality_of(2, root_).near_network);
  write("sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN");
  EXPECT_TRUE(locality_of(1, root_).near_network);
  EXPECT_FALSE(locality_of(2, root_).near_network);
  write("sys/class/net/eth0/operstate", "down");
  EXPECT_FALSE(locality_of(1, root_).near_network);
}

TEST_F(Places, TellWhetherACardThatTheMpiIsToldToUseHangsThere) {
  write("sys/class/infiniband/mlx5_1/device/numa_node", "0");
  for (const char* variable : {"UCX_NET_DEVICES", "OMPI_MCA_btl_tcp_if_include", "FI_TCP_IFACE"}) {
    ::setenv(variable, "mlx5_9,mlx5_1:1", 1);
    EXPECT_TRUE(locality_of(1, root_).near_network) << variable;
    EXPECT_FALSE(locality_of(2, root_).near_network) << variable;
    ::setenv(variable, "all", 1);
    EXPECT_TRUE(locality_of(2, root_).near_network) << variable;
    ::unsetenv(variable);
  }
}

TEST_F(Places, TellTheSocket) {
  write("sys/devices/system/cpu/cpu3/topology/physical_package_id", "1");
  EXPECT_EQ(locality_of(2, root_).socket, 0);
  EXPECT_EQ(locality_of(3, root_).socket, 1);
}

TEST(Rings, GoThroughASocketAndItsNumaNodesBeforeTheNext) {
  const Locality first{.socket = 0, .numa = 2}, second{.socket = 0, .numa = 3};
  const Locality third{.socket = 1, .numa = 0}, fourth{.socket = 1, .numa = 1};
  std::vector<Locality> ring = {fourth, second, third, first};
  std::ranges::sort(ring, is_before_in_ring);
  std::vector<int> numas;
  for (const Locality& each : ring) numas.push_back(each.numa);
  EXPECT_EQ(numas, (std::vector<int>{2, 3, 0, 1}));
  EXPECT_FALSE(is_before_in_ring(first, first));
}

TEST_F(Places, TellKernelsApart) {
  const std::uint64_t kernel = locality_of(0, root_).kernel;
  EXPECT_EQ(locality_of(3, root_).kernel, kernel);
  write("proc/sys/kernel/random/boot_id", "b");
  EXPECT_NE(locality_of(0, root_).kernel, kernel);
}

TEST_F(Places, AMachineThatSaysNothingHasOneNode) {
  fs::remove_all(root_);
  EXPECT_EQ(locality_of(7, root_).numa, 0);
  EXPECT_FALSE(locality_of(7, root_).near_network);
}

}  // namespace
}  // namespace nmt::collectives
