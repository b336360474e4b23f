// SPDX-License-Identifier: BSD-3-Clause
//
// Paths by rail, condition, peer and device.
#include <gtest/gtest.h>

#include <memory>
#include <string_view>

#include "core/method.h"
#include "tests/runtime/planted.h"

namespace nmt::runtime {
namespace {

using planted::Profile;

RailPlan measured(const std::string& name, const std::string& regime, const std::string& placement,
                  const std::string& busy = "") {
  RailPlan rail = planted::plain_rail(name, {{0, 1000}, {4096, 2000}});
  rail.regime = regime;
  rail.placement = placement;
  rail.busy_rails = busy;
  return rail;
}

nmt_path_description described(const Profile& profile, int path) {
  nmt_path_description description{};
  description.struct_bytes = sizeof description;
  EXPECT_EQ(nmt_describe_path(profile.get(), path, &description), NMT_OK);
  return description;
}

TEST(FindPath, PrefersHotAndAlone) {
  const Profile profile(
      planted::plan({measured("a", "cold", "same-core"), measured("a", "hot", "same-core", "b"),
                     measured("a", "hot", "distinct-cores"), measured("b", "cold", "same-core")}));
  const nmt_path_description found = described(profile, profile.path("a"));
  EXPECT_STREQ(found.rail, "a");
  EXPECT_STREQ(found.regime, "hot");
  EXPECT_STREQ(found.busy_rails, "");
  EXPECT_STREQ(described(profile, profile.path("b")).regime, "cold");
  EXPECT_EQ(profile.path("c"), NMT_NO_ADVICE);
}

TEST(FindPath, FollowsTheCondition) {
  const RailPlan far = measured("a", "hot", "distinct-cores");
  const Profile profile(
      planted::plan({measured("a", "cold", "same-core"), measured("a", "hot", "same-core"), far,
                     measured("a", "hot", "same-core", "b"), measured("b", "hot", "same-core")}));
  const auto find = [&](nmt_condition condition) {
    condition.struct_bytes = sizeof condition;
    return nmt_find_path(profile.get(), "a", &condition);
  };
  nmt_condition cold{};
  cold.regime = "cold";
  EXPECT_STREQ(described(profile, find(cold)).regime, "cold");
  nmt_condition busy{};
  busy.busy_rails = "b";
  EXPECT_STREQ(described(profile, find(busy)).busy_rails, "b");
  const std::string id = far.path.hex();
  nmt_condition path{};
  path.path_id = id.c_str();
  EXPECT_STREQ(described(profile, find(path)).placement, "distinct-cores");
  nmt_condition never{};
  never.placement = "other-package";
  EXPECT_EQ(find(never), NMT_NO_ADVICE);
}

// ---- by peer and device ----

constexpr std::string_view kNodeA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
constexpr std::string_view kNodeB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
constexpr std::string_view kNodeC = "cccccccccccccccccccccccccccccccc";

// From node a: two rails to node b, the slower of them twice; one of them to node c.
class Peers : public ::testing::Test {
 protected:
  Peers() {
    add("tcp:eth0", kNodeB, "b", {{"pci", "0000:01:00.0"}}, 8);
    add("verbs:mlx5_0/1", kNodeB, "b", {{"pci", "0000:3b:00.0"}, {"interface", "ib0"}}, 1);
    plan_.rails.push_back(plan_.rails.front());
    plan_.rails.back().ranks_per_nic = 4;
    add("tcp:eth0", kNodeC, "c", {{"pci", "0000:01:00.0"}}, 10);
    open();
  }

  void add(const std::string& rail, std::string_view peer, const std::string& host,
           const Fields& fingerprint, double ns_per_byte) {
    plan_.rails.push_back(
        planted::plain_rail(rail, {{0, 1000}, {1 << 20, 1000 + ns_per_byte * (1 << 20)}}));
    Rail from;
    split_rail_name(rail, &from.driver, &from.name);
    from.fingerprint = fingerprint;
    provenance_.paths.push_back({.path = plan_.rails.back().path,
                                 .from_node = Id::parse(kNodeA),
                                 .to_node = Id::parse(peer),
                                 .from_host = "a",
                                 .to_host = host,
                                 .from = from});
  }
  void open() { profile_ = std::make_unique<Profile>(plan_, provenance_); }
  int find(const char* rail, nmt_condition condition) const {
    condition.struct_bytes = sizeof condition;
    return nmt_find_path(profile_->get(), rail, &condition);
  }
  int find(const char* rail, const char* peer) const {
    nmt_condition condition{};
    condition.peer = peer;
    return find(rail, condition);
  }

  Plan plan_ = planted::plan({});
  Provenance provenance_ = planted::provenance();
  std::unique_ptr<Profile> profile_;
};

TEST_F(Peers, AreFoundByHostAndByIdentifier) {
  const nmt_path_description found = described(*profile_, find("tcp:eth0", "c"));
  EXPECT_STREQ(found.peer_host, "c");
  EXPECT_STREQ(found.peer_id, std::string(kNodeC).c_str());
  EXPECT_STREQ(found.host, "a");
  EXPECT_STREQ(found.node_id, std::string(kNodeA).c_str());
  EXPECT_EQ(find("tcp:eth0", "cccccccc"), find("tcp:eth0", "c"));
  EXPECT_NE(find("tcp:eth0", "b"), find("tcp:eth0", "c"));
  EXPECT_EQ(find("tcp:eth0", "ccccccc"), NMT_NO_ADVICE);  // 7 digits
  EXPECT_EQ(find("tcp:eth0", "d"), NMT_NO_ADVICE);
  EXPECT_EQ(find("verbs:mlx5_0/1", "c"), NMT_NO_ADVICE);
}

TEST_F(Peers, AreReachedThroughDevicesAsOthersNameThem) {
  const int verbs = find("verbs:mlx5_0/1", "b");
  for (const char* name : {"mlx5_0", "mlx5_0:1", "0000:3b:00.0", "ib0"}) {
    EXPECT_EQ(find(name, "b"), verbs) << name;
  }
  EXPECT_EQ(find("eth0", "c"), find("tcp:eth0", "c"));
  for (const char* name : {"mlx5_0:2", "mlx5_1", "eth", ""}) {
    EXPECT_EQ(find(name, "b"), NMT_NO_ADVICE) << name;
  }
  EXPECT_EQ(described(*profile_, verbs).devices, 4u);
  nmt_device device{};
  device.struct_bytes = sizeof device;
  ASSERT_EQ(nmt_describe_device(profile_->get(), verbs, 1, &device), NMT_OK);
  EXPECT_EQ(device.naming, std::uint32_t{NMT_DEVICE_UCX});
  EXPECT_STREQ(device.name, "mlx5_0:1");
  EXPECT_EQ(nmt_describe_device(profile_->get(), verbs, 4, &device), NMT_UNKNOWN);
}

TEST_F(Peers, OfOneHostNameOnTwoNodesAreAmbiguous) {
  add("tcp:eth0", "dddddddddddddddddddddddddddddddd", "b", {}, 8);
  open();
  EXPECT_EQ(find("tcp:eth0", "b"), NMT_AMBIGUOUS);
  EXPECT_EQ(nmt_peer_rails(profile_->get(), "b", nullptr, 4096, nullptr, 0), NMT_AMBIGUOUS);
  EXPECT_GE(find("tcp:eth0", "bbbbbbbb"), 0);
}

TEST_F(Peers, HaveTheirRailsBestFirst) {
  nmt_peer_rail rails[3] = {};
  rails[0].struct_bytes = sizeof *rails;
  ASSERT_EQ(nmt_peer_rails(profile_->get(), "b", nullptr, 1 << 20, rails, 3), 2);
  EXPECT_STREQ(rails[0].rail, "verbs:mlx5_0/1");
  EXPECT_STREQ(rails[1].rail, "tcp:eth0");
  EXPECT_EQ(rails[1].path, find("tcp:eth0", "b"));
  EXPECT_NEAR(rails[0].latency_ns, 1000, 1);
  EXPECT_NEAR(rails[0].bytes_per_s, 1e9, 1e7);
  EXPECT_NEAR(rails[0].together_bytes_per_s, rails[0].bytes_per_s, 1e7);
  EXPECT_NEAR(rails[1].together_bytes_per_s, 1.125e9, 1e7);
  EXPECT_EQ(rails[2].rail, nullptr);
  EXPECT_EQ(nmt_peer_rails(profile_->get(), "b", nullptr, 1 << 20, rails, 1), 2);
  EXPECT_EQ(nmt_peer_rails(profile_->get(), "d", nullptr, 1 << 20, rails, 3), NMT_NO_ADVICE);
}

TEST_F(Peers, AreAskedByWhatWasMeasured) {
  nmt_condition device{};
  device.peer = "b";
  device.memory = "device";
  EXPECT_EQ(find("tcp:eth0", device), NMT_NO_ADVICE);
  device.memory = "host";
  EXPECT_EQ(find("tcp:eth0", device), find("tcp:eth0", "b"));
  nmt_condition crowded{};
  crowded.peer = "b";
  crowded.ranks_per_nic = 4;
  EXPECT_EQ(described(*profile_, find("tcp:eth0", crowded)).ranks_per_nic, 4u);
  EXPECT_EQ(described(*profile_, find("tcp:eth0", "b")).ranks_per_nic, 1u);
  crowded.ranks_per_nic = 3;  // of 1 and 4
  EXPECT_EQ(described(*profile_, find("tcp:eth0", crowded)).ranks_per_nic, 1u);
  crowded.ranks_per_nic = 48;
  EXPECT_EQ(described(*profile_, find("tcp:eth0", crowded)).ranks_per_nic, 4u);
}

// Two rails to one peer, each measured by one rank and by eight at a time.
class RanksPerNic : public Peers {
 protected:
  RanksPerNic() {
    plan_ = planted::plan({});
    provenance_ = planted::provenance();
    add("tcp:r0", kNodeB, "b", {}, 1);
    add("tcp:r1", kNodeB, "b", {}, 1);
    for (RailPlan& rail : plan_.rails) {
      const std::vector<Point> points = {{0, 1000}, {1 << 20, 1e6}};
      rail.curves.push_back(planted::curve(benchmark::kTransfer, "copy", points));
      rail.thresholds = {planted::threshold(DecisionKind::kRendezvous, {65536})};
    }
    for (const double ns_per_byte : {8, 24}) {  // r1 suffers most
      RailPlan many = plan_.rails[ns_per_byte < 10 ? 0 : 1];
      many.ranks_per_nic = 8;
      many.curves = {planted::curve(benchmark::kTransfer, "rendezvous",
                                    {{0, 1000}, {1 << 20, ns_per_byte * (1 << 20)}}),
                     many.curves.back()};
      many.thresholds = {planted::threshold(DecisionKind::kRendezvous, {4096})};
      plan_.rails.push_back(many);
    }
    open();
  }

  int find(const char* rail, std::uint32_t ranks) const {
    nmt_condition condition{};
    condition.peer = "b";
    condition.ranks_per_nic = ranks;
    return Peers::find(rail, condition);
  }
  double share_of_first(std::uint32_t ranks) const {
    nmt_share shares[2] = {};
    shares[0].struct_bytes = sizeof *shares;
    shares[0].path = find("tcp:r0", ranks);
    shares[1].struct_bytes = sizeof *shares;
    shares[1].path = find("tcp:r1", ranks);
    nmt_split_result result{};
    result.struct_bytes = sizeof result;
    EXPECT_EQ(nmt_split(profile_->get(), 1 << 20, shares, 2, &result), NMT_OK);
    return static_cast<double>(shares[0].bytes) / (1 << 20);
  }
};

TEST_F(RanksPerNic, GetTheThresholdThatWasMeasuredWithSoMany) {
  const auto method = [&](std::uint32_t ranks) {
    return nmt_method_for(profile_->get(), find("tcp:r0", ranks), 16384);
  };
  EXPECT_EQ(method(0), NMT_COPY);
  EXPECT_EQ(method(1), NMT_COPY);
  EXPECT_EQ(method(8), NMT_RENDEZVOUS);
  EXPECT_EQ(method(16), NMT_RENDEZVOUS);
}

TEST_F(RanksPerNic, GetTheSplitThatWasMeasuredWithSoMany) {
  EXPECT_NEAR(share_of_first(1), 0.5, 0.02);
  EXPECT_NEAR(share_of_first(8), 0.75, 0.02);
}

TEST_F(RanksPerNic, GetTheRailsToAPeerAsTheyAreWithSoMany) {
  nmt_condition many{};
  many.struct_bytes = sizeof many;
  many.ranks_per_nic = 8;
  nmt_peer_rail rails[2] = {};
  rails[0].struct_bytes = sizeof *rails;
  ASSERT_EQ(nmt_peer_rails(profile_->get(), "b", &many, 1 << 20, rails, 2), 2);
  EXPECT_STREQ(rails[0].rail, "tcp:r0");
  EXPECT_EQ(rails[1].path, find("tcp:r1", 8));
  EXPECT_GT(rails[0].bytes_per_s, 2 * rails[1].bytes_per_s);
}

TEST_F(Peers, NeedARailOrSomethingElseToFindAPathBy) {
  EXPECT_EQ(find(nullptr, nmt_condition{}), NMT_INVALID);
  const std::string id = plan_.rails[1].path.hex();
  nmt_condition by_id{};
  by_id.path_id = id.c_str();
  EXPECT_STREQ(described(*profile_, find(nullptr, by_id)).peer_host, "b");
}

}  // namespace
}  // namespace nmt::runtime
