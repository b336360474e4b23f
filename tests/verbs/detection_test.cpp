// SPDX-License-Identifier: BSD-3-Clause
//
// Which ports are rails, and why others are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "drivers/verbs/driver.h"
#include "drivers/verbs/port.h"
#include "tests/drivers/pair.h"
#include "tests/verbs/stub.h"

namespace nmt::verbs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
namespace fs = std::filesystem;

class VerbsDetection : public testing::Test {
 protected:
  void TearDown() override { stub::reset(); }

  stub::Port& port() { return stub::settings().devices[0].ports[0]; }
  void one_device() { stub::settings().devices.resize(1); }

  // The one refusal of the one device.
  Refusal refusal() {
    const drivers::Detection detection = drivers::make_verbs_driver()->detect();
    EXPECT_THAT(detection.rails, IsEmpty());
    EXPECT_EQ(detection.refusals.size(), 1u);
    return detection.refusals.empty() ? Refusal{} : detection.refusals.front();
  }
};

TEST_F(VerbsDetection, EveryActivePortIsARail) {
  stub::settings().devices[1].ports.resize(2);
  std::vector<std::string> names;
  for (const Rail& rail : drivers::make_verbs_driver()->detect().rails)
    names.push_back(rail.full_name());
  EXPECT_THAT(names, ElementsAre("verbs:stub0/1", "verbs:stub1/1", "verbs:stub1/2"));
}

TEST_F(VerbsDetection, TheFingerprintTellsWhatMakesMeasurementsStale) {
  one_device();
  const Rail rail = drivers::make_verbs_driver()->detect().rails.at(0);
  EXPECT_EQ(rail.fingerprint.at("firmware"), "1.0");
  EXPECT_EQ(rail.fingerprint.at("mtu_bytes"), "1024");
  EXPECT_EQ(rail.fingerprint.at("gid"), "RoCE v2, IPv4");
  EXPECT_EQ(rail.fingerprint.at("inline_bytes"), "128");
  EXPECT_EQ(rail.fingerprint.at("gather_pieces"), "4");
}

// As the kernel lays out a device: its folder is a link into that of its slot, whose driver is one.
class VerbsDevice : public testing::Test {
 protected:
  VerbsDevice() {
    std::string name = fs::temp_directory_path() / "nmadtune-verbs-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    fs::create_directories(root_ + kSlot);
    fs::create_directories(root_ + "/sys/bus/pci/drivers/mlx5_core");
    fs::create_directories(root_ + "/sys/class/infiniband/mlx5_0");
    fs::create_directory_symlink(root_ + kSlot, root_ + "/sys/class/infiniband/mlx5_0/device");
    fs::create_directory_symlink(root_ + "/sys/bus/pci/drivers/mlx5_core",
                                 root_ + kSlot + "/driver");
  }
  ~VerbsDevice() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& line) const {
    const fs::path path = root_ + file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << line << "\n";
  }
  Fields fingerprint() const {
    return drivers::describe_port({.device = "mlx5_0", .number = 1}, root_).fingerprint;
  }

  static constexpr const char* kSlot = "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0";
  std::string root_;
};

TEST_F(VerbsDevice, HasItsDriverItsVersionAndItsSlotInTheFingerprint) {
  write(std::string(kSlot) + "/current_link_width", "16");
  write(std::string(kSlot) + "/current_link_speed", "16.0 GT/s PCIe");
  write(std::string(kSlot) + "/numa_node", "1");
  write("/sys/bus/pci/drivers/mlx5_core/module/version", "24.04-0.7.0");
  write("/sys/class/infiniband/mlx5_0/board_id", "MT_0000000224");
  write("/sys/class/infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)");
  const Fields fields = fingerprint();
  EXPECT_THAT(fields, IsSupersetOf(Fields{{"driver", "mlx5_core"},
                                          {"driver_version", "24.04-0.7.0"},
                                          {"pci", "0000:3b:00.0"},
                                          {"pcie_width", "16"},
                                          {"pcie_speed", "16.0 GT/s PCIe"},
                                          {"numa_node", "1"},
                                          {"board", "MT_0000000224"},
                                          {"link_rate", "100 Gb/sec (4X EDR)"}}));
}

// As drivers of the kernel's own sources are, which have no version.
TEST_F(VerbsDevice, WithoutAVersionOrASlotHasNoSuchFields) {
  const Fields fields = fingerprint();
  EXPECT_EQ(fields.at("driver"), "mlx5_core");
  for (const char* absent : {"driver_version", "pcie_width", "pcie_speed", "board"}) {
    EXPECT_FALSE(fields.contains(absent)) << absent;
  }
}

TEST_F(VerbsDetection, NoDeviceIsSaid) {
  stub::settings().devices.clear();
  EXPECT_EQ(refusal().rail, "verbs");
  EXPECT_THAT(refusal().remedy, HasSubstr("rdma link add"));
}

TEST_F(VerbsDetection, AKernelWithoutVerbsIsSaid) {
  stub::settings().failing["ibv_get_device_list"] = ENOSYS;
  EXPECT_THAT(refusal().reason, HasSubstr("this machine has no InfiniBand or RoCE device"));
}

TEST_F(VerbsDetection, ADeviceFileThatIsMissingOrForbiddenIsSaid) {
  one_device();
  stub::settings().devices[0].open_error = ENOENT;
  EXPECT_THAT(refusal().remedy, HasSubstr("/dev/infiniband is missing"));
  stub::settings().devices[0].open_error = EACCES;
  EXPECT_THAT(refusal().reason, HasSubstr("Permission denied"));
  EXPECT_THAT(refusal().remedy, HasSubstr("read and write"));
}

TEST_F(VerbsDetection, APortThatIsDownIsSaid) {
  one_device();
  port().state = IBV_PORT_DOWN;
  EXPECT_EQ(refusal().rail, "verbs:stub0/1");
  EXPECT_THAT(refusal().reason, HasSubstr("not active"));
  EXPECT_THAT(refusal().remedy, HasSubstr("ip link set"));
  port().ethernet = false;
  EXPECT_THAT(refusal().remedy, HasSubstr("subnet manager"));
}

TEST_F(VerbsDetection, APortWithoutAnAddressIsSaid) {
  one_device();
  port().gids.clear();
  EXPECT_THAT(refusal().reason, HasSubstr("no GID"));
  port().ethernet = false;
  port().gids = {{.type = IBV_GID_TYPE_IB}};
  EXPECT_THAT(refusal().reason, HasSubstr("no LID"));
}

TEST_F(VerbsDetection, TooLittleLockedMemoryIsSaidWithHowMuch) {
  one_device();
  rlimit before{};
  ::getrlimit(RLIMIT_MEMLOCK, &before);
  const rlimit small{64 << 10, before.rlim_max};
  ::setrlimit(RLIMIT_MEMLOCK, &small);
  stub::settings().locked_bytes_max = 64 << 10;
  const Refusal refused = refusal();
  ::setrlimit(RLIMIT_MEMLOCK, &before);
  EXPECT_THAT(refused.reason, HasSubstr("limited to 64 KiB"));
  EXPECT_THAT(refused.reason, HasSubstr("1.06 MiB more are needed"));
  EXPECT_THAT(refused.reason, HasSubstr("ulimit -l"));
}

TEST_F(VerbsDetection, EveryCallThatFailsIsNamedAndLeavesNothingBehind) {
  one_device();
  for (const char* call :
       {"ibv_query_device", "ibv_alloc_pd", "ibv_create_comp_channel", "ibv_create_cq",
        "ibv_create_qp", "ibv_modify_qp", "ibv_reg_mr", "ibv_post_recv"}) {
    stub::settings().failing = {{call, ENOSPC}};
    EXPECT_THAT(refusal().reason, HasSubstr("No space left")) << call;
    EXPECT_EQ(stub::counts().contexts, 0u) << call;
    EXPECT_EQ(stub::counts().queues, 0u) << call;
    EXPECT_EQ(stub::counts().regions, 0u) << call;
  }
}

TEST_F(VerbsDetection, ADeviceThatVanishesBetweenDetectionAndUseIsSaid) {
  const std::unique_ptr<drivers::Driver> driver = drivers::make_verbs_driver();
  const Rail rail = driver->detect().rails.at(0);
  stub::settings().devices.clear();
  drivers::Saying exchange("");
  try {
    driver->open(rail, drivers::Side::kNear, exchange);
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kFailed);
    EXPECT_STREQ(error.what(),
                 "verbs:stub0/1: this node has no such device any more; nmad-sample --list prints "
                 "the rails");
  }
}

TEST_F(VerbsDetection, RoceV2OverIpv4IsPreferred) {
  drivers::PortFacts facts{.ethernet = true};
  const auto gid = [](unsigned index, drivers::GidKind kind, bool ipv4) {
    drivers::VerbsGid made{.index = index, .kind = kind};
    made.bytes = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    if (ipv4) made.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1};
    return made;
  };
  facts.gids = {gid(0, drivers::GidKind::kRoceV1, false), gid(1, drivers::GidKind::kRoceV2, false),
                gid(2, drivers::GidKind::kRoceV1, true), gid(3, drivers::GidKind::kRoceV2, true)};
  EXPECT_EQ(drivers::best_gid(facts)->index, 3u);
  facts.gids.pop_back();
  EXPECT_EQ(drivers::best_gid(facts)->index, 1u);
  facts.gids = {drivers::VerbsGid{}};
  EXPECT_EQ(drivers::best_gid(facts), nullptr);
}

TEST_F(VerbsDetection, PortsMeetWithinTheirFabricOnly) {
  EXPECT_TRUE(drivers::same_fabric("roce 10.0.1.1/24", "roce 10.0.1.2/24"));
  EXPECT_FALSE(drivers::same_fabric("roce 10.0.1.1/24", "roce 10.0.2.2/24"));
  EXPECT_FALSE(drivers::same_fabric("roce 10.0.1.1/24", "roce 10.0.1.1/24"));
  EXPECT_TRUE(drivers::same_fabric("roce fd00::1/64", "roce fd00::2/64"));
  EXPECT_TRUE(drivers::same_fabric("ib fe80000000000000 1", "ib fe80000000000000 2"));
  EXPECT_FALSE(drivers::same_fabric("ib fe80000000000000 1", "ib fe80000000000001 2"));
  EXPECT_FALSE(drivers::same_fabric("ib fe80000000000000 1", "roce 10.0.1.2/24"));
  for (const char* garbage : {"", "roce", "roce 1/2/3", "roce 10.0.1.2/99", "roce 10.0.1.2"}) {
    EXPECT_FALSE(drivers::same_fabric("roce 10.0.1.1/24", garbage)) << garbage;
  }
}

}  // namespace
}  // namespace nmt::verbs
