// SPDX-License-Identifier: BSD-3-Clause
//
// The files of examples/cluster_checks without a batch system, as cron and NHC run them. Under
// Slurm: slurm_checks_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <regex>

#include "node/node.h"
#include "tests/tools/cluster_checks.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ClusterChecksOf : public ClusterChecks {
 protected:
  void plant_here(double duration_ns) const { plant(duration_ns, "lo", node::host_name()); }
  // As cron runs its commands: hardly an environment.
  Result by_cron(const std::string& command) const {
    return run({"env", "-i", "PATH=/usr/bin:/bin", "SHELL=/bin/sh", "HOME=" + path(""),
                "NMADTUNE_DB=" + profile(), "sh", "-c", command});
  }
  // As NHC runs its checks: a function of a bash, which calls `die` with a status and a message.
  Result by_nhc() const {
    const std::string text = R"(die() { echo "$2"; exit "$1"; }; . )" + installed("nmadtune.nhc") +
                             "; check_nmadtune; echo passed";
    return run({"env", "PATH=" + path("bin") + ":/usr/bin:/bin", "NMADTUNE_DB=" + profile(), "bash",
                "-c", text});
  }
};

TEST_F(ClusterChecksOf, ALineOfCronIsRecordedAndTold) {
  static const std::regex line("\n[0-9]+ \\* \\* \\* \\* root (.*)/([^/]+)\n");
  const std::string text = read("share/nmadtune/cluster/nmadtune.cron");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(text, found, line)) << text;
  EXPECT_EQ(found[1], "/usr/share/nmadtune/cluster");
  plant_here(kTooFastNs);
  check_until([&] { return !record().empty(); },
              [&] { EXPECT_EQ(by_cron(installed(found[2])).exit_code, 0); });
  EXPECT_THAT(record(), HasSubstr("\"slower\": true"));
}

TEST_F(ClusterChecksOf, EachCheckIsALineOfTheSystemsLog) {
  executable("bin/logger", "cat >>" + path("logged"));
  plant_here(kTooSlowNs);
  check_until([&] { return !record().empty(); },
              [&] { EXPECT_EQ(by_cron(installed("record")).exit_code, 0); });
  EXPECT_THAT(read("logged"), HasSubstr("SUMMARY state=faster"));
  EXPECT_EQ(by_cron("NMADTUNE_DB=" + path("absent.db") + " " + installed("record")).exit_code, 0);
  EXPECT_THAT(read("logged"), HasSubstr("absent.db"));
}

// A prolog that fails would drain its node.
TEST_F(ClusterChecksOf, ARecordThatCannotBeIsNoFailure) {
  EXPECT_EQ(by_cron(installed("record")).exit_code, 0) << "no profile";
  write("profile.db", "no profile either");
  EXPECT_EQ(by_cron(installed("record")).exit_code, 0);
  std::filesystem::remove(path("bin/nmad-sample"));
  EXPECT_EQ(by_cron(installed("record")).exit_code, 0) << "no command";
  EXPECT_EQ(record(), "");
}

TEST_F(ClusterChecksOf, NhcTakesTheNodeOfflineAfterTwoAlarmsTenMinutesApart) {
  if (run({"bash", "--version"}).exit_code != 0) GTEST_SKIP() << "no bash";
  EXPECT_EQ(by_nhc().out, "passed\n") << "no profile";
  plant_here(kTooFastNs);
  for (const int count : {1, 2}) {  // at once
    check_until([&] { return alarms() == count; }, [&] { EXPECT_EQ(by_nhc().out, "passed\n"); });
  }
  date_first_alarm("2026-11-24T08:00:00Z");
  Result alarm;
  check_until([&] { return alarms() == 3; }, [&] { alarm = by_nhc(); });
  EXPECT_EQ(alarm.exit_code, 1) << record();
  EXPECT_THAT(alarm.out, AllOf(HasSubstr("check_nmadtune: twice slower than the profile: tcp:lo"),
                               HasSubstr("latency +")));
}

TEST_F(ClusterChecksOf, ANodeThatIsFasterIsNoAlarm) {
  plant_here(kTooSlowNs);
  check_until([&] { return !record().empty(); }, [&] { EXPECT_EQ(by_nhc().out, "passed\n"); });
  EXPECT_THAT(record(), HasSubstr("\"alarms_utc\": []"));
}

}  // namespace
}  // namespace nmt::testing
