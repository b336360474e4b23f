// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample stopped in the middle: kill -9, Ctrl-C once and twice, and going on afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Interruption : public Sandbox {
 protected:
  // Long enough to be interrupted anywhere.
  std::vector<std::string> campaign(std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {"--rails",     "fake:" + path("rails.json"),
                                    "--budget",    "600s",
                                    "--max-size",  "64K",
                                    "--precision", "0.1%",
                                    "--db",        path("a.db")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::int64_t cells() const {
    const json::Value document =
        nmt::testing::document(tune({"show", "--json", "--db", path("a.db")}));
    const json::Value count = at(document, "platforms.0.campaigns.0.cells");
    return count.is_null() ? 0 : *count.get_if<std::int64_t>();
  }

  // Waits until the profile holds something, so that there is something to lose.
  void wait_for_cells() const {
    for (int i = 0; i < 200; ++i) {
      if (std::filesystem::exists(path("a.db")) && cells() > 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    FAIL() << "nothing was measured within ten seconds";
  }
};

TEST_F(Interruption, CtrlCKeepsWhatWasMeasuredAndExits130) {
  Process process(sample_command(campaign({"--json"})), setting());
  wait_for_cells();
  process.signal(SIGINT);
  const Result result = process.wait();
  EXPECT_EQ(result.exit_code, 130);
  const json::Value document = nmt::testing::document(result);
  EXPECT_EQ(at(document, "error.code"), json::Value(130));
  EXPECT_EQ(at(document, "campaign.interrupted"), json::Value(true));
  EXPECT_EQ(at(document, "campaign.complete"), json::Value(false));
  EXPECT_GT(cells(), 0);
  EXPECT_EQ(tune({"--db", path("a.db")}).exit_code, 0);
}

TEST_F(Interruption, TerminationExits143) {
  Process process(sample_command(campaign()), setting());
  wait_for_cells();
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait().exit_code, 143);
  EXPECT_EQ(tune({"db", "check", "--db", path("a.db")}).exit_code, 0);
}

TEST_F(Interruption, TheSecondSignalEndsItAtOnce) {
  Process process(sample_command(campaign()), setting());
  wait_for_cells();
  process.signal(SIGSTOP);  // so that both arrive before it can act on the first
  process.signal(SIGINT);
  process.signal(SIGTERM);
  process.signal(SIGCONT);
  const Result result = process.wait();
  EXPECT_THAT(result.exit_code, ::testing::AnyOf(128 + SIGINT, 128 + SIGTERM));
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(tune({"db", "check", "--db", path("a.db")}).exit_code, 0);
}

TEST_F(Interruption, ResumeGoesOnWithTheSameCampaignAndWhatIsLeftOfItsBudget) {
  constexpr double kBudgetNs = 8e9;
  const auto command = [&](std::vector<std::string> more) {
    std::vector<std::string> all = {"--rails",     "fake:" + path("rails.json"),
                                    "--budget",    "8s",
                                    "--max-size",  "64K",
                                    "--precision", "0.1%",
                                    "--db",        path("a.db"),
                                    "--seed",      "4",
                                    "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return sample_command(all);
  };
  Process process(command({}), setting());
  wait_for_cells();
  process.signal(SIGINT);
  const json::Value first = document(process.wait());
  const json::Value second = document(run(command({"--resume"}), setting()));
  EXPECT_EQ(at(second, "campaign.id"), at(first, "campaign.id"));
  EXPECT_EQ(at(second, "campaign.resumed"), json::Value(true));
  EXPECT_EQ(at(second, "campaign.complete"), json::Value(true));
  const double first_ns = *at(first, "campaign.elapsed_ns").get_if<double>();
  const double second_ns = *at(second, "campaign.elapsed_ns").get_if<double>();
  EXPECT_LT(second_ns, 1.1 * std::max(0.1 * kBudgetNs, kBudgetNs - first_ns));
}

TEST_F(Interruption, ResumeWithOtherOptionsBeginsAnew) {
  Process process(sample_command(campaign({"--json"})), setting());
  wait_for_cells();
  process.signal(SIGINT);
  const json::Value first = document(process.wait());
  const Result second = sample({"--rails", "fake:" + path("rails.json"), "--budget", "1s",
                                "--max-size", "4K", "--db", path("a.db"), "--resume", "--json"});
  EXPECT_NE(at(document(second), "campaign.id"), at(first, "campaign.id"));
  EXPECT_THAT(second.err, HasSubstr("a new one"));
}

TEST_F(Interruption, KilledAnywhereTheProfileIsWholeAndResumes) {
  std::mt19937 random(1);
  constexpr int kKills = 12;
  std::int64_t before = 0;
  for (int i = 0; i < kKills; ++i) {
    Process process(sample_command(campaign({"--seed", "9", "--resume"})), setting());
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + random() % 400));
    process.signal(SIGKILL);
    EXPECT_EQ(process.wait().exit_code, 137);
    if (!std::filesystem::exists(path("a.db")) || std::filesystem::file_size(path("a.db")) == 0) {
      continue;
    }
    EXPECT_EQ(tune({"db", "check", "--db", path("a.db")}).exit_code, 0);
    const std::int64_t now = cells();
    EXPECT_GE(now, before);
    before = now;
  }
  EXPECT_GT(before, 0);
  Process last(sample_command(campaign({"--seed", "9", "--resume", "--json"})), setting());
  std::this_thread::sleep_for(std::chrono::seconds(1));
  last.signal(SIGINT);
  EXPECT_EQ(at(document(last.wait()), "campaign.resumed"), json::Value(true));
  EXPECT_THAT(files(), ElementsAre("a.db", "rails.json"));
}

TEST_F(Interruption, KilledOnRealRailsNothingStaysInSharedFolders) {
  const auto shared = [] {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
      const std::string name = entry.path().filename();
      const bool sandbox = name.starts_with(Sandbox::kPrefix);  // of this test or another
      if (name.starts_with("nm") && !sandbox) names.push_back(entry.path());
    }
    return names;
  };
  const std::vector<std::string> before = shared();
  Process process(sample_command({"--rails", "shm", "--budget", "30s", "--db", path("a.db")}),
                  setting());
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  const std::string children = "/proc/" + std::to_string(process.pid()) + "/task/" +
                               std::to_string(process.pid()) + "/children";
  const std::string child = run({"cat", children}).out;
  process.signal(SIGKILL);
  process.wait();
  for (int i = 0; i < 100 && !child.empty(); ++i) {  // the far side notices and ends too
    if (::kill(std::stoi(child), 0) != 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  if (!child.empty()) {
    EXPECT_NE(::kill(std::stoi(child), 0), 0) << "the far side lives on";
  }
  EXPECT_EQ(shared(), before);
}

}  // namespace
}  // namespace nmt::testing
