// SPDX-License-Identifier: BSD-3-Clause
//
// Commands that are launched and do not end: both kinds of launcher keep to their time limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>

#include <chrono>
#include <functional>

#include "core/error.h"
#include "sampler/stack/launch.h"
#include "tools/peer/launcher.h"

namespace nmt::tools {
namespace {

using ::testing::HasSubstr;

constexpr double kSoonS = 4;  // well before the commands end, which sleep for 8 s

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The shell that sleeps has closed both ends that are listened to.
const std::string kSilentJob = "sh -c 'exec >&- 2>&-; sleep 8' sh";

TEST(Launch, AJobThatClosedItsOutputIsHeldToTheTimeLimit) {
  std::string message;
  EXPECT_LT(seconds([&] {
              message =
                  refusal([] { sampler::launch({.launcher = kSilentJob, .timeout_ns = 0.3e9}); });
            }),
            kSoonS);
  EXPECT_THAT(message, HasSubstr("did not end within"));
}

TEST(Launch, AJobThatClosedItsOutputIsInterrupted) {
  const auto start = std::chrono::steady_clock::now();
  const auto interrupted = [&] {
    return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(300);
  };
  std::string message;
  EXPECT_LT(seconds([&] {
              message = refusal(
                  [&] { sampler::launch({.launcher = kSilentJob, .interrupted = interrupted}); });
            }),
            kSoonS);
  EXPECT_THAT(message, HasSubstr("was interrupted"));
}

TEST(Launch, AJobThatClosedItsOutputAndEndsIsASuccess) {
  const sampler::Launched launched =
      sampler::launch({.launcher = "sh -c 'echo said; exec >&- 2>&-; sleep 0.2' sh"});
  EXPECT_EQ(launched.out, "said\n");
  EXPECT_GE(launched.elapsed_ns, 0.2e9);
}

TEST(PeerLauncher, ASignalDoesNotMakeItWaitBeyondItsTimeLimit) {
  struct sigaction noticed {
  }, before{};
  noticed.sa_handler = [](int) {};  // and no SA_RESTART: calls end with EINTR
  ::sigaction(SIGALRM, &noticed, &before);
  {
    Launcher launcher("sh -c 'sleep 8' sh", "host", "nmad-sample", control::Secret::random());
    const itimerval once{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 200'000}};
    ::setitimer(ITIMER_REAL, &once, nullptr);
    EXPECT_LT(seconds([&] { launcher.wait(std::chrono::milliseconds(600)); }), kSoonS);
  }
  ::sigaction(SIGALRM, &before, nullptr);
}

}  // namespace
}  // namespace nmt::tools
