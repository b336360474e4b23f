// SPDX-License-Identifier: BSD-3-Clause
//
// Rails measured beside each other, from the samples to the split that follows them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Rails of 1 GB/s each, that slow down as told while another of them carries something.
std::string rails(const std::vector<double>& slowdowns) {
  std::string list;
  char name = 'a';
  for (const double slowdown : slowdowns) {
    list += std::string(list.empty() ? "" : ",") + R"({"name":")" + name++ +
            R"(","methods":{"rendezvous":[[0,1000],[16777216,16778216]]},)" +
            R"("bus":{"name":"pci","slowdown":)" + std::to_string(slowdown) + "}}";
  }
  return R"({"rails":[)" + list + "]}";
}

class ConcurrentBandwidth : public Sandbox {
 protected:
  Result measure(const std::vector<double>& slowdowns, std::vector<std::string> more) const {
    more.insert(more.end(), {"--rails", "fake:" + write("rails.json", rails(slowdowns)), "--budget",
                             "60s", "--seed", "1", "--db", path("p.db")});
    return sample(more);
  }

  // Bytes of 4 MiB over these rails, in their order.
  std::vector<double> split(const std::string& rails) const {
    const json::Value document = nmt::testing::document(
        tune({"split", "--size", "4M", "--rails", rails, "--json", "--db", path("p.db")}));
    const json::Value chunks = at(document, "chunks");
    std::vector<double> bytes;
    for (const json::Reader& chunk : json::Reader(chunks, "chunks").items()) {
      bytes.push_back(chunk["bytes"].number());
    }
    EXPECT_EQ(at(document, "simultaneous"), json::Value(simultaneous_));
    return bytes;
  }

  bool simultaneous_ = true;
};

constexpr double kSize = 4 << 20;

TEST_F(ConcurrentBandwidth, ASplitFollowsWhatRailsCarryAtTheSameTime) {
  EXPECT_EQ(measure({3, 1}, {"--pairs"}).exit_code, 0);
  const std::vector<double> bytes = split("fake:a,fake:b");
  ASSERT_EQ(bytes.size(), 2u);
  EXPECT_NEAR(bytes[0], kSize / 4, 0.01 * kSize);
  EXPECT_NEAR(bytes[1], 3 * kSize / 4, 0.01 * kSize);
}

TEST_F(ConcurrentBandwidth, WithoutMeasuringThemTogetherASplitBelievesTheSum) {
  simultaneous_ = false;
  EXPECT_EQ(measure({3, 1}, {}).exit_code, 0);
  const std::vector<double> bytes = split("fake:a,fake:b");
  ASSERT_EQ(bytes.size(), 2u);
  EXPECT_NEAR(bytes[0], kSize / 2, 0.01 * kSize);
}

TEST_F(ConcurrentBandwidth, ASplitOverThreeFollowsAllThreeTogether) {
  EXPECT_EQ(measure({2, 1, 1}, {"--pairs"}).exit_code, 0);
  const std::vector<double> bytes = split("fake:a,fake:b,fake:c");
  ASSERT_EQ(bytes.size(), 3u);
  EXPECT_NEAR(bytes[0], kSize / 5, 0.01 * kSize);
  EXPECT_NEAR(bytes[1], 2 * kSize / 5, 0.01 * kSize);
  EXPECT_NEAR(bytes[2], 2 * kSize / 5, 0.01 * kSize);
}

TEST_F(ConcurrentBandwidth, ShowTellsHowFarRailsAreFromTheirSum) {
  const Result measured = measure({3, 1}, {"--pairs"});
  EXPECT_THAT(measured.out, HasSubstr("fake:a beside fake:b"));
  EXPECT_THAT(measured.out, HasSubstr("fake:a + fake:b"));
  EXPECT_THAT(measured.last_line(), HasSubstr("rails=2 "));
  const json::Value shown = document(tune({"show", "--json", "--db", path("p.db")}));
  const json::Value share = at(shown, "platforms.0.together.0.share_of_sum");
  EXPECT_NEAR(json::Reader(share, "share").number(), (1.0 / 3 + 1) / 2, 0.01);
}

TEST_F(ConcurrentBandwidth, OneNodeMeasuresItsRailsAloneUnlessAsked) {
  EXPECT_THAT(measure({3, 1}, {}).out, Not(HasSubstr("beside")));
}

TEST_F(ConcurrentBandwidth, AResumedCampaignGoesOnWithTheGroups) {
  measure({3, 1}, {"--pairs", "--resume"});
  const Result again = measure({3, 1}, {"--pairs", "--resume"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NEAR(split("fake:a,fake:b").at(0), kSize / 4, 0.01 * kSize);
}

}  // namespace
}  // namespace nmt::testing
