// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "core/error.h"
#include "tests/contention/planted.h"

namespace nmt::contention {
namespace {

using ::testing::HasSubstr;

AlltoallTimes good() {
  return planted::measure({}, {.sessions = 1, .repetitions = 1, .noise = planted::kQuiet}, 1);
}

std::string refusal(const AlltoallTimes& measured, const FitOptions& options = {}) {
  try {
    fit_signature(measured, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kUsage);
    return error.what();
  }
  return "accepted";
}

std::string refusal_of(const std::function<void(AlltoallTimes&)>& spoil) {
  AlltoallTimes measured = good();
  spoil(measured);
  return refusal(measured);
}

TEST(BadInput, OfOneTimeIsNamedWithItsCell) {
  EXPECT_EQ(refusal(good()), "accepted");
  EXPECT_THAT(refusal_of([](auto& all) { all.times[5].ranks = 1; }), HasSubstr("n = 1"));
  EXPECT_THAT(refusal_of([](auto& all) { all.times[5].size_bytes = 0; }), HasSubstr("m = 0 B"));
  for (const double bad : {0.0, -5.0, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(refusal_of([&](auto& all) { all.times[5].duration_ns = bad; }),
                HasSubstr("durations are positive"));
  }
}

TEST(BadInput, OfTheDesignSaysWhatToMeasure) {
  EXPECT_THAT(refusal_of([](auto& all) { all.times.clear(); }), HasSubstr("measure or import"));
  EXPECT_THAT(refusal_of([](auto& all) { all.message = {}; }), HasSubstr("ping-pong"));
  EXPECT_THAT(refusal_of([](auto& all) {
                std::erase_if(all.times, [](const auto& time) { return time.size_bytes > 2048; });
              }),
              HasSubstr("at least 4 sizes"));
  EXPECT_THAT(refusal_of([](auto& all) {
                std::erase_if(all.times, [](const auto& time) { return time.ranks != 8; });
              }),
              HasSubstr("only one number of ranks (n = 8)"));
}

TEST(BadInput, RanksOnOneNodeContendForMemory) {
  EXPECT_THAT(refusal_of([](auto& all) { all.ranks_per_node = 8; }), HasSubstr("memory"));
}

TEST(BadInput, SizesBelowMShowNoDelta) {
  EXPECT_THAT(refusal(good(), {.delta_from_bytes = std::uint64_t{2} << 20}),
              HasSubstr("all sizes are below M = 2 MiB"));
}

TEST(BadInput, PredictionsOfNothingAreRefused) {
  const SignatureFit fit = fit_signature(good(), {});
  for (const auto& [ranks, size_bytes] : {std::pair<int, int>{1, 1024}, {0, 1024}, {8, 0}}) {
    EXPECT_THROW(predict_alltoall(fit, ranks, static_cast<std::uint64_t>(size_bytes)), Error);
  }
  EXPECT_THROW(predict_alltoallv(fit, {{0, 0}, {0, 0}}), Error);
}

}  // namespace
}  // namespace nmt::contention
