// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/runtime/planted.h"

namespace nmt::runtime {
namespace {

using planted::Profile;

RailPlan measured(const std::string& name, const std::string& regime,
                  const std::string& placement) {
  RailPlan rail = planted::plain_rail(name, {{0, 1000}, {4096, 2000}});
  rail.regime = regime;
  rail.placement = placement;
  return rail;
}

nmt_path_description described(const Profile& profile, int path) {
  nmt_path_description description{};
  description.struct_bytes = sizeof description;
  EXPECT_EQ(nmt_describe_path(profile.get(), path, &description), NMT_OK);
  return description;
}

TEST(Describe, TellsWhereAProfileComesFrom) {
  Plan plan = planted::plan({measured("a", "hot", "same-core")});
  plan.verification.emplace();
  plan.verification->predictions = {{.rail = "a", .error_median = 0.03},
                                    {.rail = "a", .error_median = 0.05}};
  plan.verification->decisions = {{.rail = "a", .kind = "iovec", .regret_median = 0.01}};
  const Profile profile(plan);
  nmt_description description{};
  description.struct_bytes = sizeof description;
  ASSERT_EQ(nmt_describe(profile.get(), &description), NMT_OK);
  EXPECT_EQ(description.paths, 1u);
  EXPECT_STREQ(description.platform, "planted");
  EXPECT_STREQ(description.measured_utc, "2026-11-21T10:30:00Z");
  EXPECT_STREQ(description.tool_version, "0.1.0");
  EXPECT_EQ(description.foreign, 0u);
  EXPECT_EQ(description.complete, 1u);
  EXPECT_EQ(description.verified, 1u);
  EXPECT_EQ(description.quality, 0.99);
  EXPECT_EQ(description.error_median, 0.05);
  EXPECT_EQ(description.regret_median, 0.01);
}

TEST(Describe, TellsWhatAPathWasMeasuredWith) {
  RailPlan rail = measured("a", "hot", "same-core");
  rail.chunk_bytes_min = 512;
  const Profile profile(planted::plan({rail}));
  const nmt_path_description path = described(profile, 0);
  EXPECT_EQ(path.methods, 1u << NMT_RENDEZVOUS);
  EXPECT_EQ(path.size_bytes_max, 4096u);
  EXPECT_EQ(path.max_unexpected_bytes, 65536u);
  EXPECT_EQ(path.chunk_bytes_min, 512u);
  EXPECT_EQ(path.monotone_departure, 0);
  EXPECT_STREQ(path.path_id, rail.path.hex().c_str());
}

}  // namespace
}  // namespace nmt::runtime
