// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/collectives.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nmt::sampler {
namespace {

// Paper hierknem-collectives, table 1: the best segments that it names.
TEST(CollectiveSegments, IncludeThoseOfThePaper) {
  for (const auto& [operation, segments_bytes] :
       {std::pair{"bcast", std::vector<std::uint64_t>{8 << 10, 16 << 10, 32 << 10, 64 << 10}},
        std::pair{"reduce", std::vector<std::uint64_t>{64 << 10, 1 << 20}}}) {
    for (const std::uint64_t segment_bytes : segments_bytes) {
      EXPECT_EQ(std::ranges::count(segments_bytes_of(operation), segment_bytes), 1)
          << operation << ' ' << segment_bytes;
    }
  }
}

}  // namespace
}  // namespace nmt::sampler
