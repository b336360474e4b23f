// SPDX-License-Identifier: BSD-3-Clause
#include "engine/transfer_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/engine/couple.h"
#include "tests/engine/traffic.h"

namespace nmt::engine {
namespace {

using ::testing::HasSubstr;

TEST(TransferLog, SaysHowEachMessageWentAndHowManyFoundNoRoom) {
  TransferLog log(2);
  const std::string peer = "b";
  SendTrace trace;
  trace.add(0, Method::kRendezvous);
  trace.add(2, Method::kRendezvous);
  for (int i = 0; i < 3; ++i) log.add(peer, 65536, trace, 1500);
  const std::string text = log.take({"x", "y", "z"});
  EXPECT_THAT(text, HasSubstr("nmadtune: sent 64 KiB to b over x, z in 2 chunks by rendezvous in "
                              "1.50 us\n"));
  EXPECT_THAT(text, HasSubstr("nmadtune: 1 more messages were sent meanwhile\n"));
  EXPECT_EQ(log.take({}), "");
}

TEST(TransferLog, HasALineForEachMessageThatAnEngineHasSent) {
  ::setenv("NMADTUNE_LOG", "decisions,transfers", 1);
  ::testing::internal::CaptureStderr();
  {
    Couple couple(2, 1);
    EXPECT_EQ(run_traffic(*couple.a, 0, *couple.b, 0, {.messages = 50}), "");
  }
  const std::string printed = ::testing::internal::GetCapturedStderr();
  ::unsetenv("NMADTUNE_LOG");
  EXPECT_THAT(printed, HasSubstr("nmadtune: gate to b over memory:0 (not in the profile), memory:1 "
                                 "(not in the profile), strategy adaptive\n"));
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = printed.find("nmadtune: sent ", at)) != std::string::npos; ++at) {
    ++lines;
  }
  EXPECT_EQ(lines, 100u);  // of both
}

}  // namespace
}  // namespace nmt::engine
