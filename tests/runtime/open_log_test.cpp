// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/open_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "core/log.h"
#include "tests/runtime/planted.h"

namespace nmt::runtime {
namespace {

using planted::Profile;
using ::testing::HasSubstr;
using ::testing::Not;

// Copy is faster up to 1000 bytes, from where rendezvous is.
RailPlan crossing(const std::string& name) {
  return planted::rail(
      name,
      {planted::curve(benchmark::kTransfer, "copy", {{0, 1000}, {4000, 9000}}),
       planted::curve(benchmark::kTransfer, "rendezvous", {{0, 2000}, {4000, 6000}})},
      {planted::threshold(DecisionKind::kRendezvous, {1000})});
}

TEST(OpenLog, SaysWhichMethodUpToWhichSizeAndAgainstWhat) {
  const Profile profile(planted::plan({crossing("a")}));
  const std::string text = decisions_of(*profile.get());
  EXPECT_THAT(text, HasSubstr("nmadtune: a (")) << text;
  EXPECT_THAT(text, HasSubstr("nmadtune:   0 B to below 1000 B          copy ")) << text;
  EXPECT_THAT(text, HasSubstr("nmadtune:   from 1000 B                  rendezvous ")) << text;
  EXPECT_THAT(text, HasSubstr(" at 31 B, rendezvous ")) << text;  // the geometric middle
  EXPECT_THAT(text, Not(HasSubstr("over all idle rails"))) << text;
}

TEST(OpenLog, SaysWhereSplittingBegins) {
  const Profile profile(planted::plan(planted::paper_rails()));
  EXPECT_THAT(decisions_of(*profile.get()),
              HasSubstr("nmadtune: over all idle rails: split from "));
}

TEST(OpenLog, IsOnlyPrintedWhereItIsAskedFor) {
  for (const bool asked : {false, true}) {
    if (asked) ::setenv("NMADTUNE_LOG", "decisions,wishes", 1);
    ::testing::internal::CaptureStderr();
    const Profile profile(planted::plan({crossing("a")}));
    const std::string printed = ::testing::internal::GetCapturedStderr();
    ::unsetenv("NMADTUNE_LOG");
    if (!asked) {
      EXPECT_EQ(printed, "");
      continue;
    }
    EXPECT_THAT(printed, HasSubstr(decisions_of(*profile.get())));
    EXPECT_THAT(printed, HasSubstr("nmadtune: NMADTUNE_LOG has no topic wishes; topics are: "));
  }
}

}  // namespace
}  // namespace nmt::runtime
