// SPDX-License-Identifier: BSD-3-Clause
//
// The files of examples/cluster_checks under a real Slurm, on hosts of the lab: what
// docs/guide/cluster.md says of prologs, of draining and of checks between nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <optional>

#include "tests/lab/lab.h"
#include "tests/tools/cluster_checks.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SlurmChecks : public ClusterChecks {
 protected:
  void SetUp() override {
    ClusterChecks::SetUp();
    if (const std::string reason = Lab::slurm_missing(); !reason.empty()) GTEST_SKIP() << reason;
    lab_.emplace(Cluster{.rate = "1000mbit", .hosts = 2});
  }
  // Its configuration has these lines more.
  void start(const std::string& lines) const {
    const Result started = slurm({"--conf", write("site.conf", lines), "sinfo"});
    ASSERT_EQ(started.exit_code, 0) << started.err;
  }
  Result slurm(const std::vector<std::string>& command) const {
    return Process(lab_->slurm(command)).wait(100);
  }
  // "idle", "drained: why"
  std::string state_of(const std::string& host) const {
    return slurm({"sinfo", "--noheader", "--nodes", host, "--format", "%T: %E"}).out;
  }

  std::optional<Lab> lab_;
};

TEST_F(SlurmChecks, AJobRunsAndItsPrologRecordsThatTheNodeIsSlower) {
  plant(kTooFastNs, "lo", "h0");
  start("Prolog=" + of_site("record") + "\n");
  const std::vector<std::string> job = {"srun", "-N1", "-n1", "-w", "h0", "echo", "it ran"};
  check_until([&] { return alarms() == 1; }, [&] { EXPECT_EQ(slurm(job).out, "it ran\n"); });
  EXPECT_THAT(record(), HasSubstr("\"slower\": true"));
  EXPECT_EQ(alarms(), 1);
  std::filesystem::remove(profile());  // then there is nothing to compare with
  EXPECT_EQ(slurm(job).out, "it ran\n");
  std::filesystem::remove(path("bin/nmad-sample"));  // and no command to do it
  EXPECT_EQ(slurm(job).out, "it ran\n");
  EXPECT_THAT(state_of("h0"), Not(HasSubstr("drain")));
}

TEST_F(SlurmChecks, TwoAlarmsDrainANodeIfTheyAreTenMinutesApart) {
  plant(kTooFastNs, "lo", "h0");
  start("");
  const std::string drain = of_site("drain");
  const auto check_for_alarm = [&](int number) {
    check_until([&] { return alarms() == number; },
                [&] { EXPECT_EQ(slurm({drain}).exit_code, 0); });
    EXPECT_EQ(alarms(), number);
  };
  for (const int at_once : {1, 2}) {
    check_for_alarm(at_once);
    EXPECT_THAT(state_of("h0"), Not(HasSubstr("drain")));
  }
  date_first_alarm("2026-11-24T08:00:00Z");
  check_for_alarm(3);
  EXPECT_THAT(state_of("h0"), HasSubstr("drained: nmadtune: slower than its profile, twice"));
  EXPECT_THAT(state_of("h1"), Not(HasSubstr("drain")));
}

// Both hosts of the lab have the same profile, of which h0 alone is part: so is its record.
TEST_F(SlurmChecks, SlurmItselfDrainsAnIdleNodeByItsHealthCheck) {
  plant(kTooFastNs, "lo", "h0");
  plant(kTooSlowNs, "lo", "h1");
  start("HealthCheckProgram=" + path("check") +
        "\nHealthCheckInterval=2\nHealthCheckNodeState=IDLE\n");
  std::string conf = slurm({"printenv", "SLURM_CONF"}).out;
  conf.resize(conf.find('\n'));
  executable("check", "export SLURM_CONF=" + conf + "; [ \"$(hostname)\" != h0 ] || exec " +
                          of_site("drain"));
  const std::string drained = "drained: nmadtune: slower than its profile, twice";
  for (int tries = 0; tries < 60 && state_of("h0").find(drained) == std::string::npos; ++tries) {
    date_first_alarm("2026-11-24T08:00:00Z");  // unless a check writes its own over it
    ::sleep(1);
  }
  EXPECT_THAT(state_of("h0"), HasSubstr(drained)) << record();
}

TEST_F(SlurmChecks, AJobScriptSaysThatTheRailsBetweenItsNodesAreSlower) {
  plant(kTooFastNs, "e0", "h0", "h1");
  start("");
  const auto run_job = [&] {
    const std::string text = "#!/bin/sh\n" + installed("between_nodes") + " --db " + profile() +
                             " || echo \"rails between nodes: $?\"\nsrun hostname\n";
    const Result batch = slurm({"sbatch", "--wait", "-N2", "--ntasks-per-node=1", "-o",
                                path("job.out"), write("job.sh", text)});
    EXPECT_EQ(batch.exit_code, 0) << batch.err;
    EXPECT_THAT(read("job.out"), AllOf(HasSubstr("h0\n"), HasSubstr("h1\n")));
  };
  const auto job = [&] {
    std::string out = "too few launches";
    check_until([&] { return out.find("too few launches") == std::string::npos; },
                [&] {
                  run_job();
                  out = read("job.out");
                });
    return out;
  };
  EXPECT_THAT(job(), AllOf(HasSubstr("slower than the profile: tcp:e0 to h1 latency +"),
                           HasSubstr("rails between nodes: 8\n")));
  std::filesystem::remove(profile());
  plant(kTooSlowNs, "e0", "h0", "h1");
  EXPECT_THAT(job(), AllOf(HasSubstr("tcp:e0 to h1"), Not(HasSubstr("rails between nodes:"))));
}

}  // namespace
}  // namespace nmt::testing
