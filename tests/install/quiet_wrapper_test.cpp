// SPDX-License-Identifier: BSD-3-Clause
//
// nmadtune.hpp on the decision path.
#include <gtest/gtest.h>

#include <nmadtune.hpp>
#include <vector>

#include "tests/runtime/malloc_hooks.h"
#include "tests/runtime/planted.h"

namespace nmt::install {
namespace {

// How many of the questions have an answer; that of a rail that does not exist has none.
int answers(const nmadtune::Profile& profile, std::vector<nmt_share>& shares) noexcept {
  const nmadtune::Path path = profile.path("a");
  static_assert(noexcept(path.method_for(1))&& noexcept(path.predict(1))&& noexcept(
      path.aggregate(1, 1))&& noexcept(profile.split(1, shares)));
  nmt_split_result chunks;
  return path.method_for(1).has_value() + path.duration_ns(1).has_value() +
         path.aggregate(1, 1).has_value() + path.predict(1).has_value() +
         profile.split(1 << 20, shares).has_value() +
         profile.eager_chunks("shared-cache", 2, 100, shares, chunks).has_value() +
         profile.segment_bytes("bcast", 1, 4, 8).has_value() +
         profile.path("nosuch").method_for(1).has_value();
}

TEST(QuietWrapper, NeitherThrowsNorAllocatesToDecide) {
  std::mt19937_64 random(1);
  Plan plan = planted::plan({});
  for (const char* name : {"a", "b"}) {
    plan.rails.push_back(planted::random_full_rail(random, name));
  }
  plan.offloads = {{"shared-cache", 1, 1, 1}};
  plan.segments = {{"bcast", 4, 8, 0, std::nullopt, 8192}};
  const planted::Folder folder;
  const std::string file = folder.file("profile.nmt");
  planted::write_file(file, runtime::compile(planted::provenance(), plan).bytes());
  const nmadtune::Profile profile(planted::open_options(file));
  std::vector<nmt_share> shares = {nmadtune::share(profile.path("a")),
                                   nmadtune::share(profile.path("b"))};
  const std::uint64_t before = planted::allocations();
  EXPECT_EQ(answers(profile, shares), 7);
  EXPECT_EQ(planted::allocations(), before);
  EXPECT_GT(before, 0u);
}

}  // namespace
}  // namespace nmt::install
