// SPDX-License-Identifier: BSD-3-Clause
#include "contention/published.h"

#include <gtest/gtest.h>

#include <cmath>

#include "contention/predict.h"
#include "core/error.h"
#include "tests/contention/planted.h"

namespace nmt::contention {
namespace {

using planted::Measuring;
using planted::Network;

Measuring quiet() { return {.sessions = 1, .repetitions = 1, .noise = planted::kQuiet}; }

TEST(Published, MethodFindsItsOwnShape) {
  for (const Squares squares : {Squares::kOrdinary, Squares::kGeneralized}) {
    const Signature signature = fit_published(planted::measure({}, quiet(), 1), 24, {}, squares);
    EXPECT_NEAR(signature.gamma, 4.3628, 1e-4);
    EXPECT_NEAR(signature.delta_ns, 4.93e6, 100);
    EXPECT_EQ(signature.delta_from_bytes, 8192u);
  }
}

// Errors are relative, so ordinary least squares hear the largest size alone.
TEST(Published, GeneralizedLeastSquaresHearEverySize) {
  const auto delta_error = [](Squares squares) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      const Signature signature = fit_published(planted::measure({}, {}, seed), 24, {}, squares);
      sum += std::abs(signature.delta_ns / Network().delta_ns - 1);
    }
    return sum;
  };
  EXPECT_LT(delta_error(Squares::kGeneralized), delta_error(Squares::kOrdinary));
}

TEST(Published, StraightLineIsThatOfOrdinaryLeastSquares) {
  const Curve line = straight_line_through(Curve({{0, 1}, {1, 2}, {2, 6}}));
  EXPECT_NEAR(line.slope_beyond(), 2.5, 1e-9);
  EXPECT_NEAR(line.at(0), 0.5, 1e-9);
  EXPECT_THROW(straight_line_through(Curve({{0, 1}})), Error);
}

// Where one message alone does not cost a straight line, the measured bound predicts better.
TEST(Published, MethodMissesWhatTheMeasuredBoundKnows) {
  Network network;
  network.message = Curve({{0, 20e3}, {4096, 120e3}, {65536, 900e3}, {1 << 20, 90e6}});
  network.gamma = 1.5;
  const AlltoallTimes measured = planted::measure(network, {}, 1);
  const SignatureFit ours = fit_signature(measured, {});
  const SignatureFit theirs =
      taken_as_given(fit_published(measured, 24, {}, Squares::kGeneralized));
  const auto error_of = [&](const SignatureFit& fit) {
    double sum = 0;
    for (const std::uint64_t size_bytes : Measuring().sizes_bytes) {
      sum += std::abs(predict_alltoall(fit, 32, size_bytes).predicted_ns /
                          network.duration_ns(32, size_bytes) -
                      1);
    }
    return sum;
  };
  EXPECT_LT(error_of(ours), error_of(theirs) / 2);
}

}  // namespace
}  // namespace nmt::contention
