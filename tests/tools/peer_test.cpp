// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample between two hosts, and what becomes of one when the other is killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <thread>

#include "node/node.h"
#include "profiledb/profiledb.h"
#include "tests/tools/peer_sandbox.h"

namespace nmt::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using SteadyClock = std::chrono::steady_clock;

class Peer : public PeerSandbox {
 protected:
  Process start(const std::string& host, std::vector<std::string> arguments,
                bool with_secret = true) const {
    arguments.insert(arguments.end(), {"--db", path(host + ".db")});
    if (with_secret) arguments.insert(arguments.end(), {"--secret-file", secret_file()});
    return Process(lab_->in(host, sample_command(std::move(arguments))), setting());
  }

  // A server in host one whose output goes to a file, and where it listens.
  Process start_server(std::vector<std::string> more = {}, bool with_secret = true) {
    more.insert(more.begin(), {"--serve", "--db", path("one.db")});
    if (with_secret) more.insert(more.end(), {"--secret-file", secret_file()});
    return start_serving(sample_command(std::move(more)));
  }

  std::string served_at() const { return PeerSandbox::served_at("nmad-sample"); }

  std::vector<std::string> quick(std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {"--peer",     served_at(), "--budget", "8s",
                                    "--max-size", "64K",       "--seed",   "1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  // Disturbed is no failure here: two hosts share this machine's cores with other tests.
  static void expect_measured(const Result& result) {
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 4)
        << result.exit_code << ": " << result.err << result.out;
    EXPECT_THAT(result.err, Not(HasSubstr("some measurements are missing")));
  }

  // The paths that have samples, as "one tcp:r0 > two tcp:r0".
  std::vector<std::string> measured_paths(const std::string& db) const {
    const profiledb::ProfileDb profile(path(db), {});
    std::vector<std::string> found;
    for (const Platform& platform : profile.platforms()) {
      for (const SampleSet& set : profile.sample_sets_in_force(platform.id)) {
        if (set.path.from == cores_rail()) continue;
        found.push_back(set.path.from.full_name() + " > " + set.path.to.full_name());
        EXPECT_NE(set.path.from_node, set.path.to_node);
        EXPECT_FALSE(set.samples.empty());
        for (const auto& sample : set.samples) {
          EXPECT_EQ(sample.condition.placement, "other-node");
          EXPECT_FALSE(sample.repetitions.empty());
        }
      }
    }
    std::ranges::sort(found);
    return found;
  }

  // What was measured beside busy rails, as "tcp:r0 beside tcp:r1".
  std::set<std::string> measured_beside(const std::string& db) const {
    const profiledb::ProfileDb profile(path(db), {});
    std::set<std::string> found;
    for (const Platform& platform : profile.platforms()) {
      for (const SampleSet& set : profile.sample_sets_in_force(platform.id)) {
        for (const auto& sample : set.samples) {
          const std::string& busy = sample.condition.busy_rails;
          if (!busy.empty()) found.insert(set.path.from.full_name() + " beside " + busy);
        }
      }
    }
    return found;
  }

  void expect_intact(const std::string& db) const {
    const Result check = tune({"db", "check", "--db", path(db)});
    EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
  }
};

TEST_F(Peer, SamplesEveryRailBetweenTheTwoAndBothEndsKeepIt) {
  Process server = start_server();
  Process near = start("two", quick());
  const Result measured = near.wait();
  const Result served = server.wait();
  expect_measured(measured);
  expect_measured(served);
  EXPECT_THAT(measured.out, HasSubstr("Sampled between two and one"));
  EXPECT_THAT(read("served"), HasSubstr("Sampled between one and two"));
  const std::vector<std::string> both = {"tcp:r0 > tcp:r0", "tcp:r1 > tcp:r1"};
  EXPECT_EQ(measured_paths("one.db"), both);
  EXPECT_EQ(measured_paths("two.db"), both);
  for (const std::string host : {"one", "two"}) {
    const Result check = run(lab_->in(host, {NMAD_TUNE, "check", "--db", path(host + ".db")}));
    EXPECT_EQ(check.exit_code, 0) << "nothing changed: " << check.out << check.err;
  }
  // The same numbers at both ends.
  EXPECT_EQ(served.exit_code, measured.exit_code);
  EXPECT_THAT(measured.last_line(), HasSubstr("complete=yes"));
}

TEST_F(Peer, BothEndsKeepTheSameRepetitions) {
  Process server = start_server();
  Process near = start("two", quick({"--rails", "tcp:r0"}));
  expect_measured(near.wait());
  expect_measured(server.wait());
  const auto samples = [&](const std::string& db) {
    const profiledb::ProfileDb profile(path(db), {});
    std::vector<nmt::Sample> all;
    for (const Platform& platform : profile.platforms()) {
      for (SampleSet& set : profile.sample_sets_in_force(platform.id)) {
        if (set.path.from == cores_rail()) continue;  // each has its own
        std::ranges::move(set.samples, std::back_inserter(all));
      }
    }
    std::ranges::sort(all, {}, [](const nmt::Sample& sample) {
      return std::tie(sample.condition, sample.size_bytes, sample.held_out);
    });
    return all;
  };
  const auto one = samples("one.db");
  EXPECT_GT(one.size(), 20u);
  EXPECT_TRUE(one == samples("two.db"));
}

TEST_F(Peer, BothEndsMeasureWhatHandingOverCostsAmongTheirCores) {
  if (node::allowed_cores().size() < 2) GTEST_SKIP() << "there is no other core to hand work to";
  Process server = start_server();
  Process near = start("two", quick({"--rails", "tcp:r0"}));
  expect_measured(near.wait());
  expect_measured(server.wait());
  for (const char* db : {"one.db", "two.db"}) {
    EXPECT_THAT(tune({"show", "--db", path(db)}).out,
                HasSubstr("Cost of handing a submission to another core"));
  }
}

TEST_F(Peer, MeasuresRailsBesideEachOtherAndBothEndsKeepIt) {
  Process server = start_server();
  Process near = start("two", {"--peer", served_at(), "--budget", "9s", "--max-size", "256K"});
  const Result measured = near.wait();
  expect_measured(measured);
  expect_measured(server.wait());
  const std::set<std::string> both = {"tcp:r0 beside tcp:r1", "tcp:r1 beside tcp:r0"};
  EXPECT_EQ(measured_beside("one.db"), both);
  EXPECT_EQ(measured_beside("two.db"), both);
  const std::string together = "tcp:r0 + tcp:r1";
  EXPECT_THAT(measured.out, HasSubstr(together));
  EXPECT_THAT(read("served"), HasSubstr(together));
  EXPECT_THAT(tune({"show", "--db", path("one.db")}).out, HasSubstr(together));
}

TEST_F(Peer, MeasuresEveryRailAloneWhereToldSo) {
  Process server = start_server();
  Process near = start("two", quick({"--no-pairs"}));
  expect_measured(near.wait());
  expect_measured(server.wait());
  EXPECT_TRUE(measured_beside("two.db").empty());
}

TEST_F(Peer, SamplesOnlyTheRailsNamed) {
  Process server = start_server();
  Process near = start("two", quick({"--rails", "tcp:r1"}));
  expect_measured(near.wait());
  expect_measured(server.wait());
  EXPECT_EQ(measured_paths("two.db"), std::vector<std::string>{"tcp:r1 > tcp:r1"});
}

TEST_F(Peer, ARailThatIsNotThereIsToldAtBothEnds) {
  Process server = start_server();
  const Result near = start("two", quick({"--rails", "tcp:r7"})).wait();
  EXPECT_EQ(near.exit_code, 2);
  EXPECT_THAT(near.err, HasSubstr("tcp:r0"));
  const Result served = server.wait();
  EXPECT_EQ(served.exit_code, 5);
  EXPECT_THAT(served.err, HasSubstr("no rail 'tcp:r7'"));
}

TEST_F(Peer, InterfacesThatMeetSeveralAreNamedByBoth) {
  // All of both hosts in one subnet, as NICs on one switch.
  for (const auto& [host, number] : {std::pair{"one", "11"}, std::pair{"two", "12"}}) {
    const std::string address = std::string("10.77.0.") + number + "/24";
    run(lab_->in(host, {"ip", "address", "flush", "dev", "r1"}));
    EXPECT_EQ(run(lab_->in(host, {"ip", "address", "add", address, "dev", "r1"})).exit_code, 0);
  }
  Process server = start_server();
  const Result near = start("two", quick({"--rails", "nosuch"})).wait();
  EXPECT_EQ(near.exit_code, 2);
  for (const char* rail : {"tcp:r0/r0", "tcp:r0/r1", "tcp:r1/r0", "tcp:r1/r1"}) {
    EXPECT_THAT(near.err, HasSubstr(rail));
  }
  server.wait();
}

TEST_F(Peer, IsStartedByALauncher) {
  const std::string launcher = NMT_LAB_SCRIPT " --lab " + lab_->name() + " run";
  Setting with_path = setting_with_path();
  with_path.environment["NMADTUNE_DB"] = path("one.db");
  const Result result =
      run(lab_->in("two", sample_command({"--peer", "one", "--launcher", launcher, "--budget", "5s",
                                          "--max-size", "64K", "--db", path("two.db")})),
          with_path);
  expect_measured(result);
  EXPECT_EQ(measured_paths("one.db"), measured_paths("two.db"));
}

// Each rail is checked over its own wire, both ways: half of it over another would show a third of
// what r1 lost.
TEST_F(Peer, ARailThatLostItsRateIsTheOneThatACheckNames) {
  const std::string launcher = NMT_LAB_SCRIPT " --lab " + lab_->name() + " run";
  const auto to_one = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--peer", "one", "--launcher", launcher, "--db", path("two.db")});
    return run(lab_->in("two", sample_command(more)), setting_with_path());
  };
  for (int launch = 0; launch < 5; ++launch) {
    expect_measured(to_one({"--no-pairs", "--budget", "4s", "--max-size", "64K"}));
  }
  lab_->rate("r1", 100);
  const Result check = to_one({"--confirm", "--budget", "6s", "--json"});
  EXPECT_EQ(check.exit_code, 8) << check.out << check.err;
  const json::Value found = document(check);
  EXPECT_EQ(at(found, "alarms"), json::Value(0));  // of the node: either end may be the slow one
  double most = 0;
  for (const json::Reader& cell : json::Reader(found, "check")["cells"].items()) {
    if (cell["verdict"].text() != "slower") continue;
    EXPECT_EQ(cell["rail"].text(), "tcp:r1 to one");
    most = std::max(most, cell["ratio"].number());
  }
  EXPECT_GT(most, 4.5);
}

TEST_F(Peer, ALauncherThatFailsIsTold) {
  const Result result = run(lab_->in("two", sample_command({"--peer", "one", "--launcher", "false",
                                                            "--db", path("two.db")})),
                            setting());
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_THAT(result.err, HasSubstr("ended before the other end printed its address"));
}

TEST_F(Peer, PrintsTheCommandWithItsSecretWhereItMadeOne) {
  Process server = start_server({}, false);
  served_at();
  EXPECT_THAT(read("served"),
              ::testing::ContainsRegex("^NMADTUNE_SECRET=[0-9a-f]{64} nmad-sample --peer "
                                       "10\\.77\\.0\\.1:[0-9]+\n"));
  // As printed, by a shell.
  std::string command = read("served");
  command = command.substr(0, command.find('\n'));
  command += " --budget 5s --max-size 4K --db " + path("two.db");
  expect_measured(run(lab_->in("two", {"sh", "-c", command}), setting_with_path()));
  expect_measured(server.wait());
}

TEST_F(Peer, TheSecretStandsOnNoCommandLine) {
  Process server = start_server();
  Process near = start("two", quick());
  std::this_thread::sleep_for(milliseconds(500));
  for (const pid_t process : {server.pid(), near.pid()}) {
    std::string line;
    std::getline(std::ifstream("/proc/" + std::to_string(process) + "/cmdline"), line, '\n');
    EXPECT_THAT(line, HasSubstr("nmad-sample"));
    EXPECT_THAT(line, Not(HasSubstr(std::string(64, '7'))));
  }
  near.wait();
  server.wait();
}

TEST_F(Peer, TheWrongSecretIsRefusedAndTheRightOneStillServed) {
  Process server = start_server();
  const std::string address = served_at();
  Setting wrong = setting();
  wrong.environment["NMADTUNE_SECRET"] = std::string(64, '8');
  const Result refused =
      run(lab_->in("two", sample_command({"--peer", address, "--db", path("two.db")})), wrong);
  EXPECT_EQ(refused.exit_code, 5);
  EXPECT_THAT(refused.err, HasSubstr("wrong secret"));
  Process near = start("two", quick());
  expect_measured(near.wait());
  const Result served = server.wait();
  expect_measured(served);
  EXPECT_THAT(served.err, HasSubstr("refused 10.77.0.2"));
}

TEST_F(Peer, AnInterruptionIsOrderlyAtBothEnds) {
  Process server = start_server();
  Process near = start("two", {"--peer", served_at(), "--budget", "60s", "--max-size", "64K"});
  std::this_thread::sleep_for(milliseconds(2500));
  near.signal(SIGINT);
  EXPECT_EQ(near.wait(10).exit_code, 128 + SIGINT);
  const Result served = server.wait(10);
  EXPECT_EQ(served.exit_code, 4);
  EXPECT_THAT(served.err, HasSubstr("interrupted on the peer"));
  EXPECT_EQ(measured_paths("one.db"), measured_paths("two.db"));
}

TEST_F(Peer, AnInterruptedServerEndsTheCampaign) {
  Process server = start_server();
  Process near = start("two", {"--peer", served_at(), "--budget", "60s", "--max-size", "64K"});
  std::this_thread::sleep_for(milliseconds(2500));
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(10).exit_code, 128 + SIGTERM);
  const Result measured = near.wait(10);
  EXPECT_EQ(measured.exit_code, 5);
  EXPECT_THAT(measured.err, HasSubstr("interrupted on the peer"));
  expect_intact("one.db");
  expect_intact("two.db");
}

// Kill -9 of one end so long after the two have met: while they introduce themselves, open rails,
// warm up, measure, store.
class Killed : public Peer, public ::testing::WithParamInterface<int> {
 protected:
  static constexpr std::chrono::seconds kNoticedWithin{5};

  void meet_for_a_while(const std::string& address) const {
    await_meeting(address);
    std::this_thread::sleep_for(milliseconds(GetParam()));
  }
};

TEST_P(Killed, ServerEndsTheCampaignWithinFiveSeconds) {
  Process server = start_server();
  const std::string address = served_at();
  Process near = start("two", {"--peer", address, "--budget", "60s", "--max-size", "1M"});
  meet_for_a_while(address);
  const auto killed = SteadyClock::now();
  server.signal(SIGKILL);
  const Result measured = near.wait(15);
  EXPECT_LT(SteadyClock::now() - killed, kNoticedWithin);
  EXPECT_EQ(measured.exit_code, 5) << measured.err;
  EXPECT_FALSE(measured.err.empty());
  expect_intact("one.db");
  expect_intact("two.db");
}

TEST_P(Killed, CampaignEndsTheServerWithinFiveSeconds) {
  Process server = start_server();
  const std::string address = served_at();
  Process near = start("two", {"--peer", address, "--budget", "60s", "--max-size", "1M"});
  meet_for_a_while(address);
  const auto killed = SteadyClock::now();
  near.signal(SIGKILL);
  const Result served = server.wait(15);
  EXPECT_LT(SteadyClock::now() - killed, kNoticedWithin);
  EXPECT_EQ(served.exit_code, 5) << served.err;
  expect_intact("one.db");
  expect_intact("two.db");
}

INSTANTIATE_TEST_SUITE_P(AfterMs, Killed, ::testing::Values(0, 40, 120, 300, 800, 2500),
                         ::testing::PrintToStringParamName());

// The same while rails are measured beside each other, at either end.
class KilledBesideBusyRails : public Peer, public ::testing::WithParamInterface<bool> {
 protected:
  void await_busy_rails() const {
    for (int i = 0; i < 300; ++i) {
      std::this_thread::sleep_for(milliseconds(100));
      if (files_have("one.db") && !measured_beside("one.db").empty()) return;
    }
    FAIL() << "nothing was measured beside a busy rail";
  }

 private:
  bool files_have(const std::string& name) const {
    return std::ranges::count(files(), name) > 0 && !read(name).empty();
  }
};

TEST_P(KilledBesideBusyRails, IsNoticedWithinFiveSeconds) {
  Process server = start_server();
  Process near = start("two", {"--peer", served_at(), "--budget", "12s", "--max-size", "64K"});
  await_busy_rails();
  Process& victim = GetParam() ? server : near;
  Process& other = GetParam() ? near : server;
  const auto killed = SteadyClock::now();
  victim.signal(SIGKILL);
  const Result left = other.wait(15);
  EXPECT_LT(SteadyClock::now() - killed, std::chrono::seconds(5));
  EXPECT_EQ(left.exit_code, 5) << left.err;
  expect_intact("one.db");
  expect_intact("two.db");
}

INSTANTIATE_TEST_SUITE_P(End, KilledBesideBusyRails, ::testing::Bool(),
                         [](const auto& end) { return end.param ? "Server" : "Campaign"; });

TEST_F(Peer, ALinkThatIsCutIsNoticedAtBothEnds) {
  Process server = start_server();
  Process near = start("two", {"--peer", served_at(), "--budget", "60s", "--max-size", "64K"});
  std::this_thread::sleep_for(milliseconds(2500));
  cut("two", "r0");
  cut("two", "r1");
  const auto cut = SteadyClock::now();
  EXPECT_EQ(near.wait(20).exit_code, 5);
  EXPECT_EQ(server.wait(20).exit_code, 5);
  EXPECT_LT(SteadyClock::now() - cut, std::chrono::seconds(8));
  expect_intact("one.db");
  expect_intact("two.db");
}

TEST_F(Peer, ARailThatIsCutFailsAloneAndTheOthersAreSampled) {
  Process server = start_server();
  Process near = start("two", {"--peer", served_at(), "--budget", "30s", "--max-size", "64K",
                               "--rails", "tcp:r1,tcp:r0"});
  // The second rail is cut while the first is at work: opening it fails, and the first is kept.
  std::this_thread::sleep_for(milliseconds(1500));
  cut("two", "r1");
  const Result measured = near.wait(60);
  EXPECT_EQ(measured.exit_code, 4) << measured.err;
  EXPECT_THAT(measured.err, HasSubstr("tcp:r1: "));
  EXPECT_THAT(measured_paths("two.db"), Contains("tcp:r0 > tcp:r0"));
  EXPECT_EQ(server.wait(10).exit_code, 4);
}

class PeerUsage : public Sandbox {};

TEST_F(PeerUsage, WhatIsMissingIsNamed) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--peer", "127.0.0.1"}, "the port is missing"},
      {{"--peer", "127.0.0.1:7"}, "--secret-file"},
      {{"--peer", "127.0.0.1:x"}, "is not an address"},
      {{"--peer", "a:1", "--serve"}, "--serve"},
      {{"--peer", "a:1", "--resume"}, "--resume"},
      {{"--launcher", "ssh"}, "--launcher needs --peer HOST"},
      {{"--address", "127.0.0.1"}, "--address needs --serve"},
      {{"--peer", "-oProxyCommand=x", "--launcher", "ssh"}, "is an option, not a host"},
      {{"--serve", "--secret-file", path("absent")}, "No such file"},
      {{"--serve", "--address", "192.0.2.1"}, "listen at 192.0.2.1"},
  };
  for (const auto& [arguments, message] : cases) {
    const Result result = sample(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr(message));
  }
}

TEST_F(PeerUsage, NobodyThereIsAPeerLost) {
  const Result result = sample({"--peer", "127.0.0.1:1"},
                               {.environment = {{"NMADTUNE_SECRET", std::string(64, '1')}}});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_THAT(result.err, HasSubstr("connect(127.0.0.1:1): Connection refused"));
}

}  // namespace
}  // namespace nmt::testing
