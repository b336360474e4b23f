// SPDX-License-Identifier: BSD-3-Clause
#include "core/effect.h"

#include <gtest/gtest.h>

namespace nmt {
namespace {

TEST(Effect, OfAPatchReleaseIsToBeConfirmed) {
  EXPECT_EQ(effect_of(Difference{"kernel", "6.1.0-21-amd64", "6.1.0-22-amd64"}),
            Effect::kUnconfirmed);
  EXPECT_EQ(effect_of(Difference{"kernel", "6.1.9", "6.1.10"}), Effect::kUnconfirmed);
}

TEST(Effect, OfAnotherReleaseOfTheKernelIsAnotherPlatform) {
  EXPECT_EQ(effect_of(Difference{"kernel", "6.1.0", "6.12.0"}), Effect::kForeign);
  EXPECT_EQ(effect_of(Difference{"kernel", "6.1", "something else"}), Effect::kForeign);
  EXPECT_EQ(effect_of(Difference{"kernel", "", "."}), Effect::kForeign);
}

TEST(Effect, OfAnMpiThatCameLaterIsNone) {
  EXPECT_EQ(effect_of(Difference{"mpich", std::nullopt, "4.2"}), Effect::kNone);
}

TEST(Effect, OfWhatDecidesSpeedIsAnotherPlatform) {
  for (const char* field : {"cpu_model", "cores", "mtu", "firmware", "link_speed", "a new one"}) {
    EXPECT_EQ(effect_of(Difference{field, "1", "2"}), Effect::kForeign) << field;
  }
}

TEST(Effect, OfAFieldThatOlderVersionsDidNotRecordIsNone) {
  EXPECT_EQ(effect_of(Difference{"pcie_width", std::nullopt, "16"}), Effect::kNone);
  EXPECT_EQ(effect_of(Difference{"pcie_width", "16", "8"}), Effect::kForeign);
  EXPECT_EQ(effect_of(Difference{"driver_version", "24.04", "24.10"}), Effect::kUnconfirmed);
  EXPECT_EQ(effect_of(Difference{"hypervisor", std::nullopt, "KVM"}), Effect::kForeign);
}

TEST(Effect, OfManyIsTheGravest) {
  EXPECT_EQ(effect_of({{"mpich", std::nullopt, "4"}, {"libc", "1", "2"}}), Effect::kUnconfirmed);
  EXPECT_EQ(effect_of({{"cores", "1", "2"}, {"libc", "1", "2"}}), Effect::kForeign);
  EXPECT_EQ(effect_of(std::vector<Difference>{}), Effect::kNone);
}

}  // namespace
}  // namespace nmt
