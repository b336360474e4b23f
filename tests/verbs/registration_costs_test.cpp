// SPDX-License-Identifier: BSD-3-Clause
//
// What a campaign measures of registration, on the stub: it counts.
#include <gtest/gtest.h>

#include "core/method.h"
#include "sampler/rail/registration.h"
#include "tests/drivers/pair.h"
#include "tests/verbs/stub.h"

namespace nmt::verbs {
namespace {

TEST(RegistrationCosts, AreOfMemoryNeverSeenAndOfMemoryThatIsKnown) {
  {
    const drivers::Pair pair = drivers::open_pair("verbs:stub0/1");
    const auto before = stub::counts().registrations;
    const auto samples =
        sampler::sample_registration(*pair.near, RealClock(), {}, std::uint64_t{1} << 20, 1e6);
    std::size_t cold = 0;
    ASSERT_EQ(samples.size(), 10u);  // 4 KiB to 1 MiB, both
    for (const Sample& sample : samples) {
      EXPECT_EQ(sample.condition.benchmark, benchmark::kRegistration);
      EXPECT_GE(sample.repetitions.size(), 8u);
      if (sample.condition.registration == registration::kCold) cold += sample.repetitions.size();
    }
    EXPECT_EQ(stub::counts().registrations, before + cold);
  }
  stub::reset();
}

TEST(RegistrationCosts, AreNoneOfARailThatNeedsNoRegistration) {
  const drivers::Pair pair = drivers::open_pair("shm");
  EXPECT_TRUE(sampler::sample_registration(*pair.near, RealClock(), {}, std::uint64_t{1} << 20, 1e6)
                  .empty());
}

}  // namespace
}  // namespace nmt::verbs
