// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-bench between two hosts of the lab: what it measures, rails that are cut under way, and what
// becomes of one end when the other is killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "tests/tools/peer_sandbox.h"

namespace nmt::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kNoticedWithin{5};

class BenchPeer : public PeerSandbox {
 protected:
  Process start_server() const {
    return start_serving(
        bench_command({"--serve", "--no-profile", "--secret-file", secret_file()}));
  }

  std::string served_at() const { return PeerSandbox::served_at("nmad-bench"); }

  Process start_near(std::vector<std::string> more) const {
    more.insert(more.end(),
                {"--peer", served_at(), "--secret-file", secret_file(), "--no-profile"});
    return Process(lab_->in("two", bench_command(std::move(more))), setting());
  }

  // A stream that lasts until something happens.
  Process start_long() const {
    return start_near({"--strategy", "iso", "--sizes", "1M", "--pattern", "stream", "--repetition",
                       "200ms", "--rounds", "1000"});
  }
};

TEST_F(BenchPeer, MeasuresOverTheRailsBetweenTheTwo) {
  Process server = start_server();
  Process near = start_near({"--compare", "single:r0,single:r1,iso", "--sizes", "1,256K",
                             "--rounds", "3", "--repetition", "1ms", "--json"});
  const Result measured = near.wait();
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_EQ(server.wait().exit_code, 0);
  EXPECT_THAT(read("served"), HasSubstr("repetitions of a benchmark by two"));
  const json::Value told = document(measured);
  EXPECT_EQ(at(told, "peer"), json::Value("one"));
  EXPECT_EQ(at(told, "rails.0.rail"), json::Value("tcp:r0"));
  EXPECT_EQ(at(told, "rails.1.rail"), json::Value("tcp:r1"));
  const auto bytes = [&](int cell, int rail) {
    return *at(told, "cells." + std::to_string(cell) + ".rails." + std::to_string(rail) + ".bytes")
                .get_if<double>();
  };
  EXPECT_EQ(bytes(3, 0), 262144);  // by r0 alone
  EXPECT_EQ(bytes(3, 1), 0);
  EXPECT_EQ(bytes(4, 0), 0);
  EXPECT_EQ(bytes(4, 1), 262144);
  EXPECT_EQ(bytes(5, 0), 131072);
  EXPECT_EQ(bytes(5, 1), 131072);
}

TEST_F(BenchPeer, StartsTheOtherEndByALauncher) {
  const Result result =
      run(lab_->in("two", bench_command({"--peer", "one", "--launcher",
                                         NMT_LAB_SCRIPT " --lab " + lab_->name() + " run",
                                         "--rails", "tcp:r1", "--sizes", "1", "--rounds", "2"})),
          setting_with_path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("ping-pong with one, 1 at once, 1 segments, over tcp:r1"));
}

TEST_F(BenchPeer, AnotherToolIsRefusedAtBothEnds) {
  Process server = start_server();
  const Result near = run(lab_->in("two", sample_command({"--peer", served_at(), "--secret-file",
                                                          secret_file(), "--db", path("two.db")})),
                          setting());
  EXPECT_EQ(near.exit_code, 5);
  EXPECT_THAT(near.err, HasSubstr("the peer runs nmad-bench, and this is nmad-sample"));
  const Result served = server.wait();
  EXPECT_EQ(served.exit_code, 5);
  EXPECT_THAT(served.err, HasSubstr("the peer runs nmad-sample, and this is nmad-bench"));
}

TEST_F(BenchPeer, ARailThatIsCutIsToldAndTheOtherCarriesAll) {
  Process server = start_server();
  Process near = start_near({"--strategy", "iso", "--sizes", "1M", "--pattern", "stream",
                             "--repetition", "500ms", "--rounds", "9"});
  std::this_thread::sleep_for(milliseconds(1500));
  cut("two", "r1");
  const Result measured = near.wait(60);
  EXPECT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_THAT(measured.err,
              HasSubstr("one: lost a rail; its packets are sent again over the others"));
  EXPECT_EQ(server.wait(10).exit_code, 0);
}

TEST_F(BenchPeer, WithTheLastRailBothEndsEndInTime) {
  Process server = start_server();
  Process near = start_long();
  std::this_thread::sleep_for(milliseconds(2500));
  cut("two", "r0");
  cut("two", "r1");
  const auto when = SteadyClock::now();
  const Result measured = near.wait(20);
  const Result served = server.wait(20);
  EXPECT_LT(SteadyClock::now() - when, std::chrono::seconds(8));
  EXPECT_EQ(measured.exit_code, 5);
  EXPECT_THAT(measured.err, HasSubstr("lost"));
  EXPECT_EQ(served.exit_code, 5);
}

// So long after the two have met: while they introduce themselves, open rails, measure.
class BenchKilled : public BenchPeer, public ::testing::WithParamInterface<int> {
 protected:
  void meet_for_a_while() const {
    await_meeting(served_at());
    std::this_thread::sleep_for(milliseconds(GetParam()));
  }
};

TEST_P(BenchKilled, ServerEndsTheBenchmarkWithinFiveSeconds) {
  Process server = start_server();
  Process near = start_long();
  meet_for_a_while();
  const auto killed = SteadyClock::now();
  server.signal(SIGKILL);
  const Result measured = near.wait(15);
  EXPECT_LT(SteadyClock::now() - killed, kNoticedWithin);
  EXPECT_EQ(measured.exit_code, 5) << measured.err;
  EXPECT_FALSE(measured.err.empty());
}

TEST_P(BenchKilled, BenchmarkEndsTheServerWithinFiveSeconds) {
  Process server = start_server();
  Process near = start_long();
  meet_for_a_while();
  const auto killed = SteadyClock::now();
  near.signal(SIGKILL);
  const Result served = server.wait(15);
  EXPECT_LT(SteadyClock::now() - killed, kNoticedWithin);
  EXPECT_EQ(served.exit_code, 5) << served.err;
}

INSTANTIATE_TEST_SUITE_P(AfterMs, BenchKilled, ::testing::Values(0, 20, 80, 1500),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace nmt::testing
