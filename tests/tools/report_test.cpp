// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune report: the file that it writes, without a browser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <map>

#include "tests/tools/report_sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ReportFile : public Sandbox {
 protected:
  // The page of a profile.
  std::string report(const std::string& db, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"report", "--db", db, "-o", path("report.html"),
                                          "--force"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = tune(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return read("report.html");
  }
};

TEST_F(ReportFile, ValuesEqualThoseOfJson) {
  const std::string db = make_profile("a.db");
  const json::Value data = data_of(report(db));
  const json::Value thresholds = document(tune({"thresholds", "--db", db, "--json"}));
  EXPECT_EQ(at(data, "rails.0.rail"), at(thresholds, "rails.0.rail"));
  EXPECT_EQ(at(data, "rails.0.thresholds"), at(thresholds, "rails.0.thresholds"));
  const json::Value shown = document(tune({"show", "--db", db, "--json"}));
  EXPECT_EQ(at(data, "platform.fingerprint"), at(shown, "platforms.0.fingerprint"));
  EXPECT_EQ(at(data, "platform.campaigns.0.id"), at(shown, "platforms.0.campaigns.0.id"));
  const json::Value checked = document(tune({"check", "--db", db, "--json"}));
  EXPECT_EQ(at(data, "check.findings"), at(checked, "findings"));
}

TEST_F(ReportFile, CurvesEqualThoseOfJson) {
  const std::string db = make_profile("a.db");
  const json::Value data = data_of(report(db));
  const json::Value curve =
      document(tune({"curve", "--db", db, "--rail", "fake:myri", "--method", "copy", "--json"}));
  const json::Reader rails = json::Reader(data, "data")["rails"];
  std::size_t compared = 0;
  for (const json::Reader& each : rails[0]["curves"].items()) {
    if (each["benchmark"].text() != "transfer" || each["method"].text() != "copy") continue;
    for (const json::Reader& point : each["duration"].items()) {
      const json::Value expected = at(curve, "curve.points." + std::to_string(compared++));
      EXPECT_EQ(point[0].number(), number(expected, "size_bytes"));
      EXPECT_EQ(point[1].number(), number(expected, "duration_ns"));
    }
  }
  EXPECT_GT(compared, 10u);
}

TEST_F(ReportFile, RegretOfAnotherRailsThresholdIsThatOfCompare) {
  const std::string db = make_profile("a.db");
  const json::Value data = data_of(report(db));
  const json::Value compared = document(tune({"compare", "--db", db, "--json"}));
  std::size_t found = 0;
  for (const json::Reader& entry : json::Reader(data, "data")["foreign"].items()) {
    for (const json::Reader& cost : entry["costs"].items()) {
      for (const json::Reader& each : json::Reader(compared, "compare")["regrets"].items()) {
        if (each["kind"].text() != entry["kind"].text() ||
            each["on"].text() != entry["rail"].text() ||
            cost["name"].text() != "the threshold of " + each["from"].text()) {
          continue;
        }
        EXPECT_DOUBLE_EQ(cost["mean"].number(), each["mean"].number());
        EXPECT_DOUBLE_EQ(cost["worst"].number(), each["worst"].number());
        ++found;
      }
    }
  }
  EXPECT_EQ(found, 6u);  // three decisions, two rails
}

TEST_F(ReportFile, HasTablesForBrowsersWithoutScripts) {
  const std::string page = report(make_profile("a.db"));
  const std::size_t from = page.find("<noscript>");
  const std::string tables = page.substr(from, page.find("</noscript>") - from);
  EXPECT_THAT(tables, HasSubstr("rendezvous"));
  EXPECT_THAT(tables, HasSubstr("95 % interval"));
  EXPECT_THAT(tables, HasSubstr("64 KiB"));
}

TEST_F(ReportFile, NamesNothingOutsideOfItself) {
  const std::string page = report(make_profile("a.db"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe-inline")));
  for (const char* element : {"<link", "<img", "<iframe", " src=", "@import", "url(h"}) {
    EXPECT_THAT(page, Not(HasSubstr(element)));
  }
}

TEST_F(ReportFile, NamesStayText) {
  const std::string hostile = "</script><script>document.title='executed'</script><img src=x>";
  write_small_profile(path("a.db"), hostile, "<b>eth0</b>&amp;", 8);
  const std::string page = report(path("a.db"));
  EXPECT_THAT(page, Not(HasSubstr("<script>document.title")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<b>eth0")));
  EXPECT_EQ(at(data_of(page), "platform.name"), json::Value("platform of " + hostile));
}

TEST_F(ReportFile, AnonymousNamesNoHost) {
  write_small_profile(path("a.db"), "secrethost", "eth0", 8);
  EXPECT_THAT(report(path("a.db")), HasSubstr("secrethost"));
  EXPECT_THAT(report(path("a.db"), {"--anonymous"}), Not(HasSubstr("secrethost")));
}

TEST_F(ReportFile, KeepsAFileThatIsThereUnlessForced) {
  const std::string db = make_profile("a.db");
  write("report.html", "mine");
  const Result refused = tune({"report", "--db", db, "-o", path("report.html")});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("--force replaces it"));
  EXPECT_EQ(read("report.html"), "mine");
  report(db);
  EXPECT_THAT(read("report.html"), HasSubstr("<!doctype html>"));
}

TEST_F(ReportFile, AFullDiskLeavesNoHalfFile) {
  const std::string db = make_profile("a.db");
  const std::vector<std::string> before = files();
  const Result result = tune({"report", "--db", db, "-o", path("report.html")}, {.in_child = [] {
                               ::signal(SIGXFSZ, SIG_IGN);
                               const rlimit limit{.rlim_cur = 60000, .rlim_max = 60000};
                               ::setrlimit(RLIMIT_FSIZE, &limit);
                             }});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("report.html"));
  EXPECT_EQ(files(), before);
}

TEST_F(ReportFile, IsWrittenOfAProfileOfOneSampleWithoutAPlan) {
  write_small_profile(path("a.db"), "h", "eth0", 1);
  const json::Value data = data_of(report(path("a.db")));
  EXPECT_EQ(at(data, "rails.0.rail"), json::Value("tcp:eth0"));
}

TEST_F(ReportFile, SaysThatAnotherPlatformWasMeasured) {
  write_small_profile(path("a.db"), "h", "eth0", 4);
  EXPECT_EQ(at(data_of(report(path("a.db"))), "check.matches"), json::Value(false));
}

TEST_F(ReportFile, AgainstAnOlderProfileSaysWhatChangedAndWhatKeepingThresholdsCosts) {
  const std::string db = make_profile("a.db");
  write("later.json", R"({"seed":2,"rails":[{"name":"myri","methods":{
     "copy":[[1,2500],[1024,3400],[65536,75000]],
     "iovec":[[1,4700],[1024,5300],[65536,89000]],
     "rendezvous":[[1,9000],[1024,9800],[65536,62000]]}}]})");
  ASSERT_EQ(sample({"--rails", "fake:" + path("later.json"), "--db", path("b.db"), "--budget", "2s",
                    "--max-size", "64K"})
                .exit_code,
            0);
  const json::Value data = data_of(report(path("b.db"), {"--against", db}));
  EXPECT_EQ(at(data, "diff.launches.fingerprints.0.field"), json::Value("description"));
  bool found = false;  // copy was worse than iovec for large messages, and now is better
  for (const json::Reader& each :
       json::Reader(data, "data")["diff"]["launches"]["thresholds"].items()) {
    if (each["kind"].text() != "iovec" || each["regime"].text() != "hot") continue;
    found = true;
    EXPECT_GT(each["regret_worst"].number(), 0.1);
  }
  EXPECT_TRUE(found);
  for (const json::Reader& each : json::Reader(data, "data")["diff"]["ratios"].items()) {
    if (each["method"].text() != "iovec" || each["regime"].text() != "hot") continue;
    EXPECT_NEAR(each["points"][0][1].number(), 4700.0 / 2700, 0.2);
  }
}

TEST_F(ReportFile, HasTablesOfClustersAndDifferencesForBrowsersWithoutScripts) {
  ASSERT_NO_FATAL_FAILURE(describe_cluster(path("old.db"), path("new.db"), setting()));
  const std::string page = report(path("new.db"), {"--against", path("old.db")});
  const std::size_t from = page.find("<noscript>");
  const std::string tables = page.substr(from, page.find("</noscript>") - from);
  for (const char* shown :
       {"verbs:mlx5_0/1: pairs of nodes, by latency", "node07", "Alltoall: direct", "lower bound",
        "Slower or faster, by size", "6.1.0-25", "Thresholds that moved"}) {
    EXPECT_THAT(tables, HasSubstr(shown));
  }
}

TEST_F(ReportFile, SaysOfAnOlderProfileWhatDiffSays) {
  const std::string before = make_profile("a.db"), after = make_profile("b.db", "2");
  const json::Value data = data_of(report(after, {"--against", before}));
  const json::Value diff = document(tune({"diff", before, after, "--json"}));
  EXPECT_EQ(at(data, "diff.launches.sentence"), at(diff, "sentence"));
  EXPECT_EQ(at(data, "diff.launches.launch_spreads"), at(diff, "launch_spreads"));
  EXPECT_EQ(at(data, "diff.launches.fingerprints"), at(diff, "fingerprints"));
  EXPECT_EQ(at(data, "diff.launches.thresholds"), at(diff, "thresholds"));
}

TEST_F(ReportFile, TheTrendHasEachCampaignOfBothProfilesOnce) {
  const std::string before = make_profile("a.db"), after = make_profile("b.db", "2");
  ASSERT_EQ(tune({"db", "merge", before, "--db", after}).exit_code, 0);  // it has both now
  const json::Value data = data_of(report(after, {"--against", before}));
  std::map<std::string, std::vector<double>> latencies_ns;
  std::string last;
  for (const json::Reader& each : json::Reader(data, "data")["diff"]["trend"].items()) {
    latencies_ns[each["rail"].text()].push_back(each["latency_ns"].number());
    EXPECT_GE(each["started_utc"].text(), last);
    last = each["started_utc"].text();
    EXPECT_GT(each["bandwidth_bytes_per_second"].number(), 1e8);
  }
  for (const char* rail : {"fake:myri", "fake:quad"}) {
    double best_ns = 1e9;
    for (const char* method : {"copy", "iovec", "rendezvous"}) {
      const json::Value curve =
          document(tune({"curve", "--db", after, "--rail", rail, "--method", method, "--json"}));
      best_ns = std::min(best_ns, number(curve, "curve.points.0.duration_ns"));
    }
    ASSERT_EQ(latencies_ns[rail].size(), 2u) << rail;
    for (const double latency_ns : latencies_ns[rail]) {  // sessions drift by 8 %
      EXPECT_NEAR(latency_ns, best_ns, 0.12 * best_ns) << rail;
    }
  }
}

TEST_F(ReportFile, OfANodeIsSmallerThanTwoMegabytes) {
  EXPECT_LT(report(make_profile("a.db")).size(), std::size_t{2} << 20);
}

TEST_F(ReportFile, ADamagedOrAbsentProfileIsRefused) {
  const Result absent = tune({"report", "--db", path("none.db"), "-o", path("report.html")});
  EXPECT_EQ(absent.exit_code, 6);
  EXPECT_THAT(files(), ElementsAre("rails.json"));
}

// Readers of the README on a slow line load them too.
TEST_F(ReportFile, TheReadmeShowsTwoPicturesOfLessThan200KilobytesEach) {
  const std::string readme = read(NMT_SOURCE "/README.md");
  for (const char* name : {"report-node.png", "report-cluster.png"}) {
    const std::string file = std::string("docs/pictures/") + name;
    EXPECT_THAT(readme, HasSubstr("](" + file + ")"));
    const std::string picture = read(NMT_SOURCE "/" + file);
    EXPECT_EQ(picture.substr(1, 3), "PNG");
    EXPECT_LT(picture.size(), 200000u) << file;
  }
}

TEST(Report, PlotsAreThoseOfTheChecksum) {
  const Result result =
      run({"sh", "-c", "cd " NMT_THIRD_PARTY " && sha256sum --check uPlot.sha256"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("uPlot.iife.min.js: OK"));
}

}  // namespace
}  // namespace nmt::testing
