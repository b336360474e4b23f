// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tuner/tuner.h"

namespace nmt::tuner {
namespace {

PlanCurve curve(const std::string& method, const std::string& variant, double start_ns) {
  return {.benchmark = "transfer",
          .method = method,
          .variant = variant,
          .duration = Curve({{0, start_ns}, {1000, start_ns + 1000}}),
          .low = Curve({{0, start_ns - 10}, {1000, start_ns + 900}}),
          .high = Curve({{0, start_ns + 10}, {1000, start_ns + 1100}})};
}

RailPlan rail() {
  return {.curves = {curve("copy", "", 100), curve("iovec", "", 200), curve("rendezvous", "", 900)},
          .thresholds = {{.kind = DecisionKind::kIovec,
                          .ranges = {{0, 100, "copy"}, {100, std::nullopt, "iovec"}}},
                         {.kind = DecisionKind::kRendezvous,
                          .ranges = {{0, 500, "eager"}, {500, std::nullopt, "rendezvous"}}}}};
}

TEST(Predict, FollowsTheThresholds) {
  EXPECT_EQ(predict_transfer(rail(), 99, std::nullopt)->method, "copy");
  EXPECT_EQ(predict_transfer(rail(), 100, std::nullopt)->method, "iovec");
  EXPECT_EQ(predict_transfer(rail(), 499, std::nullopt)->method, "iovec");
  EXPECT_EQ(predict_transfer(rail(), 500, std::nullopt)->method, "rendezvous");
}

TEST(Predict, InterpolatesTheCurveAndItsLimits) {
  const auto prediction = predict_transfer(rail(), 500, Method::kCopy);
  EXPECT_EQ(prediction->duration_ns, 600);
  EXPECT_EQ(prediction->low_ns, 545);
  EXPECT_EQ(prediction->high_ns, 655);
  EXPECT_FALSE(prediction->extrapolated);
}

TEST(Predict, SaysThatItExtrapolates) {
  const auto prediction = predict_transfer(rail(), 2000, Method::kCopy);
  EXPECT_TRUE(prediction->extrapolated);
  EXPECT_EQ(prediction->duration_ns, 2100);
  EXPECT_LE(prediction->low_ns, prediction->duration_ns);
  EXPECT_GE(prediction->high_ns, prediction->duration_ns);
}

TEST(Predict, TakesTheBetterVariant) {
  RailPlan plan = rail();
  plan.curves.push_back(curve("copy", "inline", 50));
  EXPECT_EQ(predict_transfer(plan, 0, Method::kCopy)->duration_ns, 50);
  std::swap(plan.curves.front(), plan.curves.back());
  EXPECT_EQ(predict_transfer(plan, 0, Method::kCopy)->duration_ns, 50);
}

TEST(Predict, IsSilentAboutAMethodWithoutACurve) {
  RailPlan plan = rail();
  plan.curves.pop_back();
  EXPECT_EQ(predict_transfer(plan, 10, Method::kRendezvous), std::nullopt);
  EXPECT_EQ(predict_transfer(RailPlan{}, 10, std::nullopt), std::nullopt);
}

}  // namespace
}  // namespace nmt::tuner
