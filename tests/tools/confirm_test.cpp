// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample --confirm, on described rails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/confirmation.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Confirm : public Sandbox {
 protected:
  // Five launches, as fewer cannot say that anything is slower.
  Confirm() : db_(make_profile("a.db")) {
    std::vector<std::string> merge = {"db", "merge"};
    for (const char* seed : {"2", "3", "4", "5"}) {
      merge.push_back(make_profile(std::string(seed) + ".db", seed));
    }
    merge.insert(merge.end(), {"--db", db_});
    EXPECT_EQ(tune(merge).exit_code, 0);
  }
  Result confirm(const std::string& rails, std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {"--confirm",           "--seed", "1", "--rails",
                                    "fake:" + path(rails), "--db",   db_};
    all.insert(all.end(), more.begin(), more.end());
    return sample(all);
  }
  std::string recorded() const {
    return read(std::filesystem::path(confirmation_file(db_)).filename());
  }
  // The rails of the profile, all of them half as fast as they were.
  std::string slower() const {
    return write("slower.json", R"({"seed":1,"rails":[{"name":"myri","methods":{
      "copy":[[1,5000],[65536,150000]],"iovec":[[1,5400],[65536,138000]],
      "rendezvous":[[1,18000],[65536,124000]],"memcpy":[[1,20],[65536,9000]]}}]})");
  }

  std::string db_;
};

TEST_F(Confirm, SaysInOneLineThatTheProfileIsStillTrueAndLeavesItAlone) {
  const std::string before = read("a.db");
  const Result result = confirm("rails.json");
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, AllOf(StartsWith("confirmed: "), HasSubstr("within 5.0 %; not checked: "),
                                HasSubstr("rails between nodes: not without --peer")));
  EXPECT_EQ(result.out.find('\n') + 1, result.out.find("SUMMARY")) << result.out;
  EXPECT_EQ(read("a.db"), before);
  EXPECT_THAT(recorded(), AllOf(HasSubstr("\"slower\": false"), HasSubstr("fake:myri"),
                                Not(HasSubstr("\"between_nodes\": true"))));
}

TEST_F(Confirm, RaisesNoAlarmWhereNothingChanged) {
  for (const char* seed : {"11", "12", "13", "14", "15"}) {
    const Result result = sample({"--confirm", "--seed", seed, "--rails",
                                  "fake:" + path("rails.json"), "--db", db_, "--budget", "500ms"});
    EXPECT_EQ(result.exit_code, 0) << seed << result.out;
  }
}

TEST_F(Confirm, ExitsWith8WhereARailIsSlowerAndCountsAlarms) {
  slower();
  const Result result = confirm("slower.json", {"--json"});
  EXPECT_EQ(result.exit_code, 8) << result.err;
  const json::Value first = document(result);
  EXPECT_EQ(at(first, "state"), json::Value("slower"));
  EXPECT_EQ(at(first, "alarms"), json::Value(1));
  EXPECT_EQ(at(first, "cells.0.verdict"), json::Value("slower"));
  const json::Value second = document(confirm("slower.json", {"--json"}));
  EXPECT_EQ(at(second, "alarms"), json::Value(2));
  EXPECT_EQ(at(second, "two_alarms"), json::Value(false));  // not ten minutes apart
  confirm("rails.json");
  EXPECT_EQ(at(document(confirm("slower.json", {"--json"})), "alarms"), json::Value(1));
}

TEST_F(Confirm, RecordsOfEachRailWhetherItAgreesOrIsSlower) {
  ASSERT_EQ(confirm("rails.json").exit_code, 0);
  ASSERT_THAT(recorded(), AllOf(HasSubstr("fake:myri"), HasSubstr("\"slower\": false")));
  slower();
  ASSERT_EQ(confirm("slower.json").exit_code, 8);
  EXPECT_THAT(recorded(), AllOf(HasSubstr("fake:myri"), HasSubstr("\"slower\": true")));
}

// From the update to the answer, as an administrator sees it.
TEST_F(Confirm, DecidesWhatBecomesOfAdviceAfterAnUpdate) {
  const std::string updated = path("updated.db");
  measure_elsewhere(db_, updated, {{"kernel", patched_kernel()}});
  const auto check = [&] { return tune({"check", "--db", updated}); };
  const auto confirm_by = [&](const std::string& rails) {
    return sample({"--confirm", "--seed", "1", "--rails", "fake:" + rails, "--db", updated});
  };
  EXPECT_THAT(check().out, HasSubstr("To be confirmed: platform"));
  EXPECT_EQ(confirm_by(path("rails.json")).exit_code, 0);
  Result said = check();
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("has confirmed fake:myri"));
  EXPECT_EQ(confirm_by(slower()).exit_code, 8);
  said = check();
  EXPECT_EQ(said.exit_code, 7);
  EXPECT_THAT(said.err, AllOf(HasSubstr("platform changed"), HasSubstr("found fake:myri slower"),
                              HasSubstr("run nmad-sample again")));
}

// Cells of too few launches are no agreement.
TEST_F(Confirm, CountsOnlyCellsThatAgree) {
  const std::string few = make_profile("few.db", "2");
  slower();
  const Result result =
      sample({"--confirm", "--seed", "1", "--rails", "fake:" + path("slower.json"), "--db", few});
  EXPECT_EQ(result.exit_code, 4) << result.out;
  EXPECT_THAT(result.err, HasSubstr("too few launches"));
}

TEST_F(Confirm, WritesAFileForPrometheusWholeOrNot) {
  ASSERT_EQ(confirm("rails.json", {"--prometheus", path("n.prom")}).exit_code, 0);
  EXPECT_THAT(read("n.prom"), AllOf(HasSubstr("# TYPE nmadtune_check_ratio gauge"),
                                    HasSubstr("nmadtune_check_ratio{rail=\"fake:myri\""),
                                    HasSubstr("nmadtune_check_slower 0\n")));
  const Result refused = confirm("rails.json", {"--prometheus", path("absent/n.prom")});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("absent/n.prom"));
  EXPECT_THAT(refused.out, StartsWith("confirmed: "));  // what was found is said all the same
  slower();
  const Result slow = confirm("slower.json", {"--prometheus", path("absent/n.prom")});
  EXPECT_EQ(slow.exit_code, 8);
  EXPECT_THAT(slow.err, HasSubstr("absent/n.prom"));
  EXPECT_EQ(sample({"--prometheus", path("n.prom")}).exit_code, 2);
}

TEST_F(Confirm, IgnoresAHostileFileWhereTheConfirmationIsExpected) {
  const std::string file = std::filesystem::path(confirmation_file(db_)).filename();
  write(file, std::string(100000, '['));
  EXPECT_EQ(confirm("rails.json").exit_code, 0);
  EXPECT_THAT(recorded(), HasSubstr("\"slower\": false"));
  std::filesystem::remove(confirmation_file(db_));
  write("elsewhere", "untouched");
  std::filesystem::create_symlink(path("elsewhere"), confirmation_file(db_));
  EXPECT_EQ(confirm("rails.json").exit_code, 0);
  EXPECT_EQ(read("elsewhere"), "untouched");
}

TEST_F(Confirm, OfRailsThatTheProfileDoesNotHaveIsNotChecked) {
  write("other.json", R"({"seed":1,"rails":[{"name":"new","methods":{
    "copy":[[1,5000],[65536,150000]],"memcpy":[[1,20],[65536,9000]]}}]})");
  const Result result = confirm("other.json");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("the profile has no measurement of it"));
}

}  // namespace
}  // namespace nmt::testing
