// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-bench on this node: what it refuses, and the shape of what it says.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Bench : public Sandbox {
 protected:
  // Over connections, which every machine has.
  Result quick(std::vector<std::string> more) const {
    std::vector<std::string> all = {"--rails",      "tcp:lo,tcp:lo", "--rounds",    "2",
                                    "--repetition", "10us",          "--no-profile"};
    all.insert(all.end(), more.begin(), more.end());
    return bench(std::move(all));
  }
};

TEST_F(Bench, RefusesWhatCannotBeWithARightValue) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--strategy", "gredy"}, "no strategy gredy; there are single:RAIL, greedy"},
      {{"--compare", "greedy,single:nosuch"}, "single:nosuch: no such rail among the rails in use"},
      {{"--compare", "greedy", "--strategy", "iso"}, "--strategy"},
      {{"--pattern", "pingpong"}, "ping-pong"},
      {{"--sizes", "2G"}, "--sizes: at most"},
      {{"--at-once", "0"}, "--at-once: 1 to 4096, not 0"},
      {{"--rounds", "0"}, "--rounds: 1 to 10000, not 0"},
      {{"--segments", "1025"}, "--segments: 1 to 1024, not 1025"},
      {{"--launcher", "ssh"}, "--launcher needs --peer HOST"},
      {{"--address", "127.0.0.1"}, "--address needs --serve"},
      {{"--peer", "127.0.0.1"}, "the port is missing; nmad-bench --serve"},
      {{"--peer", "127.0.0.1:7"}, "--secret-file"},
      {{"--peer", "a:1", "--serve"}, "--serve"},
  };
  for (const auto& [arguments, message] : cases) {
    const Result result = bench(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr(message));
  }
  const Result result = bench({"--rails", "tcp:l0"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--rails: no rail tcp:l0; did you mean 'tcp:lo'?"));
}

TEST_F(Bench, PlaysEveryPattern) {
  for (const char* pattern : {"ping-pong", "stream", "rate", "flows"}) {
    const Result result = quick({"--pattern", pattern, "--sizes", "0,1,100K", "--segments", "3"});
    EXPECT_EQ(result.exit_code, 0) << pattern << ": " << result.err;
    EXPECT_THAT(result.out, StartsWith(pattern));
    EXPECT_EQ(result.last_line(),
              pattern == std::string("flows") ? "SUMMARY cells=1" : "SUMMARY cells=3");
  }
}

TEST_F(Bench, TellsOfEachCellWhatTheRailsCarried) {
  const Result result = quick({"--compare", "single:lo,greedy,iso", "--sizes", "1M", "--json"});
  // Two links over one rail have one name: the first is meant.
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("single:lo: several rails have this name"));

  const Result full = quick({"--compare", "single:tcp:lo,iso", "--sizes", "1M", "--json"});
  ASSERT_EQ(full.exit_code, 0) << full.err;
  const json::Value told = document(full);
  EXPECT_EQ(at(told, "tool"), json::Value("nmad-bench"));
  EXPECT_EQ(at(told, "pattern"), json::Value("ping-pong"));
  EXPECT_EQ(at(told, "sizes_bytes.0"), json::Value(1 << 20));
  EXPECT_GT(number(told, "rails.0.alone_bandwidth_bytes_per_second"), 1e6);
  EXPECT_EQ(at(told, "cells.1.strategy"), json::Value("iso"));
  EXPECT_GT(number(told, "cells.1.latency_ns"), 0);
  EXPECT_LE(number(told, "cells.1.low_ns"), number(told, "cells.1.high_ns"));
  EXPECT_GT(number(told, "cells.1.processor_ns_per_megabyte"), 0);
  EXPECT_EQ(number(told, "cells.1.rails.0.bytes"), 1 << 19);
  EXPECT_EQ(number(told, "cells.1.rails.1.bytes"), 1 << 19);
  EXPECT_EQ(number(told, "cells.1.decisions.asked"), 1);
  EXPECT_EQ(number(told, "cells.1.decisions.chunks"), 2);
  const double apart = number(told, "cells.1.chunks_apart");
  EXPECT_TRUE(apart >= 0 && apart < 1) << apart;
}

TEST_F(Bench, WritesARowPerCellAndStrategy) {
  const Result result =
      quick({"--compare", "greedy,iso", "--sizes", "1,4K", "--csv", "--pattern", "rate"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("pattern,strategy,size_bytes,segments,at_once,latency_ns,"
                                     "low_ns,high_ns,bandwidth_bytes_per_second,"
                                     "messages_per_second,processor_ns_per_megabyte\n"));
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 5);
  EXPECT_THAT(result.out, HasSubstr("\nrate,iso,4096,1,64,"));
}

TEST_F(Bench, SaysSoWhereItHasNoProfile) {
  const Result result =
      bench({"--rails", "tcp:lo", "--sizes", "1", "--rounds", "1", "--repetition", "10us"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("measuring without a profile"));
  const Result told = quick({"--sizes", "1"});
  EXPECT_THAT(told.err, Not(HasSubstr("advice")));
}

// As where the near end is killed before it connects: what it had started reads end of file, and
// nobody reads what that prints.
TEST_F(Bench, AServerThatWasLaunchedEndsWithTheEndThatLaunchedIt) {
  Setting launched = setting();
  launched.in_child = [secret = write("secret", std::string(64, '5') + "\n")] {
    ::dup2(::open(secret.c_str(), O_RDONLY), STDIN_FILENO);
  };
  Process server(bench_command({"--serve", "--quiet", "--no-profile", "--secret-file", "-",
                                "--address", "127.0.0.1"}),
                 launched);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(::kill(server.pid(), 0), 0);
  server.close_stdout();
  const Result result = server.wait(10);
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_THAT(result.err, HasSubstr("has ended"));
}

}  // namespace
}  // namespace nmt::testing
