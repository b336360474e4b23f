// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/locality.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>
#include <utility>
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

  Locality at_core(int core, MpiFamily mpi = MpiFamily::kMpich) const {
    return locality_of(core, mpi, root_);
  }

  fs::path root_;
};

// A variable of the user, while the object lives.
class UserVariable {
 public:
  UserVariable(const std::string& name, const std::string& value) : name_(name) {
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ~UserVariable() { ::unsetenv(name_.c_str()); }
  UserVariable(const UserVariable&) = delete;

 private:
  std::string name_;
};

TEST_F(Places, TellTheNumaNodeAndWhetherANetworkCardHangsThere) {
  EXPECT_EQ(at_core(1).numa, 0);
  EXPECT_FALSE(at_core(1).near_network);
  EXPECT_EQ(at_core(2).numa, 1);
  EXPECT_TRUE(at_core(2).near_network);
}

TEST_F(Places, TellWhetherACardThatIsUsedHangsThere) {
  write("sys/class/infiniband/mlx5_1/device/numa_node", "0");
  write("sys/class/infiniband/mlx5_1/ports/1/state", "1: DOWN");
  write("sys/class/net/eth0/device/numa_node", "0");
  write("sys/class/net/eth0/operstate", "up");
  EXPECT_FALSE(at_core(1).near_network);
  EXPECT_TRUE(at_core(2).near_network);
  write("sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN");
  EXPECT_TRUE(at_core(1).near_network);
  EXPECT_FALSE(at_core(2).near_network);
  write("sys/class/net/eth0/operstate", "down");
  EXPECT_FALSE(at_core(1).near_network);
}

TEST_F(Places, TellWhetherACardThatUcxIsToldToUseHangsThere) {
  write("sys/class/infiniband/mlx5_1/device/numa_node", "0");
  write("sys/class/net/eth0/device/numa_node", "0");
  for (const MpiFamily mpi : {MpiFamily::kOpenMpi, MpiFamily::kMpich}) {
    for (const std::string value : {"mlx5_9,mlx5_1:1", "eth0"}) {
      const UserVariable set("UCX_NET_DEVICES", value);
      EXPECT_TRUE(at_core(1, mpi).near_network) << value;
      EXPECT_FALSE(at_core(2, mpi).near_network) << value;
    }
    for (const std::string value : {"all", "^mlx5_1:1", "mlx5_9"}) {
      const UserVariable set("UCX_NET_DEVICES", value);
      EXPECT_TRUE(at_core(2, mpi).near_network) << value;
      EXPECT_FALSE(at_core(1, mpi).near_network) << value;
    }
  }
}

// What the user says of TCP says nothing of messages that go over InfiniBand.
TEST_F(Places, FollowVariablesOfTcpOnlyIfMessagesGoOverIt) {
  write("sys/class/net/eth0/device/numa_node", "0");
  write("sys/class/net/eth0/operstate", "up");
  struct Case {
    MpiFamily mpi;
    const char* variable;
    const char* choice;
    const char* by;
  };
  for (const Case& each :
       {Case{MpiFamily::kOpenMpi, "OMPI_MCA_btl_tcp_if_include", "OMPI_MCA_pml", "ob1"},
        Case{MpiFamily::kMpich, "FI_TCP_IFACE", "FI_PROVIDER", "tcp;ofi_rxm"}}) {
    const UserVariable set(each.variable, "eth0");
    EXPECT_FALSE(at_core(1, each.mpi).near_network) << each.variable;
    EXPECT_TRUE(at_core(2, each.mpi).near_network) << each.variable;
    const UserVariable over_tcp(each.choice, each.by);
    EXPECT_TRUE(at_core(1, each.mpi).near_network) << each.variable;
    EXPECT_FALSE(at_core(2, each.mpi).near_network) << each.variable;
  }
  const UserVariable ob1("OMPI_MCA_pml", "ob1");
  for (const std::string over_fabric : {"openib,self", "^tcp", "^tcp,vader"}) {
    const UserVariable components("OMPI_MCA_btl", over_fabric);
    EXPECT_TRUE(at_core(2, MpiFamily::kOpenMpi).near_network) << over_fabric;
    EXPECT_FALSE(at_core(1, MpiFamily::kOpenMpi).near_network) << over_fabric;
  }
  for (const std::string over_tcp : {"^openib", "^vader,openib", "tcp,self"}) {
    const UserVariable components("OMPI_MCA_btl", over_tcp);
    EXPECT_FALSE(at_core(2, MpiFamily::kOpenMpi).near_network) << over_tcp;
    EXPECT_TRUE(at_core(1, MpiFamily::kOpenMpi).near_network) << over_tcp;
  }
}

// mlx5_0 has two active ports.
TEST_F(Places, OfACardThatIsExcludedPortByPortFollowWhetherOneIsLeft) {
  write("sys/class/infiniband/mlx5_0/ports/2/state", "4: ACTIVE");
  write("sys/class/net/eth0/device/numa_node", "0");
  write("sys/class/net/eth0/operstate", "up");
  for (const auto& [value, is_left] :
       {std::pair("^mlx5_0:1", true), std::pair("^mlx5_0:2", true),
        std::pair("^mlx5_0:1,mlx5_0:2", false), std::pair("^mlx5_0", false)}) {
    const UserVariable set("UCX_NET_DEVICES", value);
    EXPECT_EQ(at_core(2).near_network, is_left) << value;
    EXPECT_EQ(at_core(1).near_network, !is_left) << value;
  }
}

// Two Ethernet cards: eth0 at the first NUMA node, in 192.168.1.0/24, and eth1 at the second, in
// 10.0.0.0/8.
class TwoEthernetCards : public Places {
 protected:
  TwoEthernetCards() {
    fs::remove_all(root_ / "sys/class/infiniband");
    for (const std::string card : {"0", "1"}) {
      write("sys/class/net/eth" + card + "/device/numa_node", card);
      write("sys/class/net/eth" + card + "/operstate", "up");
    }
    const auto hex = [](const char* address) {
      in_addr number{};
      EXPECT_EQ(::inet_pton(AF_INET, address, &number), 1);
      std::ostringstream text;
      text << std::hex << std::setw(8) << std::setfill('0') << number.s_addr;
      return text.str();
    };
    const std::string more = "\t0\t0\t100\t";
    write("proc/net/route",
          "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\n"
          "eth1\t00000000\t" +
              hex("10.0.0.1") + "\t0003" + more +
              "00000000\t0\n"
              "eth0\t" +
              hex("192.168.1.0") + "\t00000000\t0001" + more + hex("255.255.255.0") +
              "\t0\n"
              "eth1\t" +
              hex("10.0.0.0") + "\t00000000\t0001" + more + hex("255.0.0.0") + "\t0");
  }

  // Of the first NUMA node and of the second.
  std::pair<bool, bool> near(MpiFamily mpi, const std::string& variable,
                             const std::string& value) const {
    const UserVariable set(variable, value);
    return {at_core(1, mpi).near_network, at_core(2, mpi).near_network};
  }
};

TEST_F(TwoEthernetCards, OfOpenMpiAreChosenByNameBySubnetAndByExclusion) {
  constexpr std::pair kFirst(true, false), kSecond(false, true), kBoth(true, true);
  const auto included = [&](const std::string& value) {
    return near(MpiFamily::kOpenMpi, "OMPI_MCA_btl_tcp_if_include", value);
  };
  for (const char* value : {"eth0", "192.168.0.0/16", "192.168.1.0/24", "^eth1", "^10.0.0.0/8"}) {
    EXPECT_EQ(included(value), kFirst) << value;
  }
  for (const char* value : {"eth1", "10.1.0.0/16", "lo,eth1", "^192.168.1.7/32"}) {
    EXPECT_EQ(included(value), kSecond) << value;
  }
  for (const char* value : {"eth0,10.0.0.0/8", "0.0.0.0/0", "eth9", "10.0.0.0/33", "10.0.0/8"}) {
    EXPECT_EQ(included(value), kBoth) << value;
  }
  const auto excluded = [&](const std::string& value) {
    return near(MpiFamily::kOpenMpi, "OMPI_MCA_btl_tcp_if_exclude", value);
  };
  EXPECT_EQ(excluded("lo,eth1"), kFirst);
  EXPECT_EQ(excluded("127.0.0.1/8,192.168.1.0/24"), kSecond);
  EXPECT_EQ(excluded("lo"), kBoth);
}

TEST_F(TwoEthernetCards, OfOneMpiAreNotChosenByVariablesOfTheOther) {
  constexpr std::pair kFirst(true, false), kBoth(true, true);
  EXPECT_EQ(near(MpiFamily::kMpich, "FI_TCP_IFACE", "eth0"), kFirst);
  EXPECT_EQ(near(MpiFamily::kOpenMpi, "FI_TCP_IFACE", "eth0"), kBoth);
  EXPECT_EQ(near(MpiFamily::kMpich, "OMPI_MCA_btl_tcp_if_include", "eth0"), kBoth);
}

TEST_F(Places, TellWhetherNodesAreAlike) {
  write("proc/cpuinfo", "vendor_id : Some\nmodel name : One\n");
  const std::uint64_t platform = at_core(0).platform;
  EXPECT_EQ(at_core(3).platform, platform);
  write("proc/sys/kernel/osrelease", "6.1.0-22");
  write("sys/devices/system/node/online", "0-3");
  EXPECT_EQ(at_core(0).platform, platform);
  write("proc/cpuinfo", "vendor_id : Some\nmodel name : Other\n");
  EXPECT_NE(at_core(0).platform, platform);
}

TEST_F(Places, TellTheSocket) {
  write("sys/devices/system/cpu/cpu3/topology/physical_package_id", "1");
  EXPECT_EQ(at_core(2).socket, 0);
  EXPECT_EQ(at_core(3).socket, 1);
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
  const std::uint64_t kernel = at_core(0).kernel;
  EXPECT_EQ(at_core(3).kernel, kernel);
  write("proc/sys/kernel/random/boot_id", "b");
  EXPECT_NE(at_core(0).kernel, kernel);
}

TEST_F(Places, AMachineThatSaysNothingHasOneNode) {
  fs::remove_all(root_);
  EXPECT_EQ(at_core(7).numa, 0);
  EXPECT_FALSE(at_core(7).near_network);
}

}  // namespace
}  // namespace nmt::collectives
