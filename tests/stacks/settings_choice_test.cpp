// SPDX-License-Identifier: BSD-3-Clause
//
// Which settings of another stack are kept, on planted measurements.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/method.h"
#include "stacks/stacks.h"

namespace nmt::stacks {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint32_t kRounds = 7;

// Launches have a speed of their own, 5 % apart, and repetitions 1 %.
class Planted {
 public:
  explicit Planted(const std::string& when, std::uint64_t seed = 1,
                   const std::string& rail = "openmpi/tcp")
      : random_(seed) {
    set_.campaign.id = Id::random();
    set_.campaign.started_utc = when;
    set_.campaign.options = {{"hosts", "one,two"},
                             {"eager other-node", "65480"},
                             {"header other-node", "56"},
                             {"default btl_tcp_eager_limit", "65536"}};
    set_.path.from = {.driver = rail, .name = "", .fingerprint = {}};
  }

  template <class Duration>
  void add(const std::string& variant, const Duration& duration_ns,
           const std::string& method = "") {
    for (std::uint64_t size = 1; size <= 16u << 20; size *= 2) {
      Sample sample{.size_bytes = size};
      sample.condition = {.benchmark = std::string(benchmark::kStackMessage),
                          .method = method,
                          .variant = variant,
                          .placement = "other-node",
                          .mpi = "Open MPI v4.1.4"};
      set_.samples.push_back(sample);
    }
    const std::size_t first = set_.samples.size() - 25;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const double launch = std::exp(std::normal_distribution<>(0, 0.05)(random_));
      for (std::size_t i = first; i < set_.samples.size(); ++i) {
        for (int k = 0; k < 5; ++k) {
          const double noise = std::exp(std::normal_distribution<>(0, 0.01)(random_));
          const double ns = duration_ns(static_cast<double>(set_.samples[i].size_bytes));
          set_.samples[i].repetitions.push_back(
              {.total_ns = static_cast<std::uint64_t>(ns * noise * launch), .round = round});
        }
      }
    }
  }

  // All launches of the rounds below `end`: the machine was in another state.
  void disturb(std::uint32_t end) {
    for (Sample& sample : set_.samples) {
      for (Repetition& each : sample.repetitions) each.disturbed = each.round < end;
    }
  }

  const SampleSet& set() const { return set_; }

 private:
  SampleSet set_;
  std::mt19937_64 random_;
};

double eager_ns(double size_bytes) { return 10'000 + size_bytes * 2.0; }
double asked_ns(double size_bytes) { return 20'000 + size_bytes * 0.5; }
double limit_at(double size_bytes, double most_bytes) {
  return size_bytes <= most_bytes ? eager_ns(size_bytes) : asked_ns(size_bytes);
}

std::vector<StackSamples> samples_of(const std::vector<SampleSet>& sets) {
  return stack_samples("openmpi", sets);
}

TEST(StackThreshold, LiesWhereTheProtocolsCross) {
  Planted planted("1");
  planted.add("e", eager_ns, "copy");
  planted.add("r", asked_ns, "rendezvous");
  const auto samples = samples_of({planted.set()});
  StackTimes eager, asked;
  for (const auto& [key, times] : samples[0].times) {
    (key.method == "copy" ? eager : asked) = times;
  }
  const std::vector<StackProtocols> sent = {{eager, asked}};
  const auto threshold = choose_threshold(sent);
  ASSERT_TRUE(threshold);
  EXPECT_GT(threshold->eager_bytes_max, 5'300u);  // 6667 is where they cross
  EXPECT_LT(threshold->eager_bytes_max, 8'200u);
  EXPECT_LT(threshold->regret, 0.02);
  EXPECT_FALSE(choose_threshold(std::vector<StackProtocols>{{{}, asked}}));
}

// As one threshold of UCX is for shared memory, which is better eager up to 4 KiB, and for a
// network that is so up to 64 KiB; a wrong choice costs twice as much over the network.
TEST(StackSettings, OfSeveralTransportsChangeWhereThatCostsLeastTogether) {
  std::vector<StackProtocols> sent(2);
  for (std::uint64_t size = 1 << 10; size <= 256 << 10; size *= 2) {
    sent[0].eager[size] = {{0, size <= 4 << 10 ? 1.0 : 1.1}};
    sent[0].rendezvous[size] = {{0, size <= 4 << 10 ? 1.1 : 1.0}};
    sent[1].eager[size] = {{0, size <= 64 << 10 ? 1.0 : 1.21}};
    sent[1].rendezvous[size] = {{0, size <= 64 << 10 ? 1.21 : 1.0}};
  }
  const auto alone = choose_threshold(std::span(sent).first(1)), both = choose_threshold(sent);
  ASSERT_TRUE(alone && both);
  EXPECT_LT(alone->eager_bytes_max, 8u << 10);
  EXPECT_NEAR(alone->regret, 0, 1e-9);
  EXPECT_GE(both->eager_bytes_max, 64u << 10);
  EXPECT_LT(both->eager_bytes_max, 128u << 10);
  EXPECT_GT(both->regret, 0.01);
  EXPECT_LT(both->regret, 0.05);
}

TEST(StackSettings, ThatPayAreKeptWithWhatTheyReplace) {
  Planted planted("1");
  planted.add("", [](double size) { return limit_at(size, 65480); });
  planted.add("btl_tcp_eager_limit=8056", [](double size) { return limit_at(size, 8000); });
  const auto verdicts = judge_groups(samples_of({planted.set()}));
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_TRUE(verdicts[0].kept) << verdicts[0].reason;
  EXPECT_EQ(verdicts[0].group, "tcp");
  EXPECT_EQ(verdicts[0].defaults, (Fields{{"btl_tcp_eager_limit", "65536"}}));
  EXPECT_GT(verdicts[0].gain.value, 1.3);  // 32 KiB: 75 us eagerly, 36 us otherwise
}

TEST(StackSettings, WithoutAMeasurableGainAreLeftOut) {
  int kept = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Planted planted("1", seed);
    planted.add("", [](double size) { return limit_at(size, 65480); });
    planted.add("btl_tcp_bandwidth_r0=5", [](double size) { return limit_at(size, 65480); });
    kept += judge_groups(samples_of({planted.set()})).at(0).kept ? 1 : 0;
  }
  EXPECT_LE(kept, 4);  // the interval's own 2.5 %, of 40
}

TEST(StackSettings, ThatMakeASizeSlowerAreLeftOut) {
  Planted planted("1");
  planted.add("", [](double size) { return limit_at(size, 65480); });
  planted.add("btl_tcp_bandwidth_r0=5", [](double size) {
    return limit_at(size, 65480) * (size > 4e6 ? 0.5 : size > 1e5 ? 1.3 : 1);
  });
  const auto verdict = judge_groups(samples_of({planted.set()})).at(0);
  EXPECT_FALSE(verdict.kept);
  EXPECT_THAT(verdict.reason, HasSubstr("slower at"));
}

// The group of libfabric has two settings, of which one is a limit: what it gains at the sizes that
// the limit moves is not thinned out by all others.
TEST(StackSettings, AreJudgedOverTheSizesThatTheirLimitMoves) {
  Planted planted("1", 1, "libfabric/tcp");
  planted.add("", asked_ns);
  planted.add("FI_OFI_RXM_BUFFER_SIZE=8192 FI_OFI_RXM_SAR_LIMIT=0", [](double size) {
    return asked_ns(size) * (size > 10'000 && size < 40'000 ? 0.7 : 1);
  });
  const auto verdicts = judge_groups(stack_samples("libfabric", std::vector{planted.set()}));
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].group, "rendezvous");
  EXPECT_EQ(verdicts[0].settings.size(), 2u);
  EXPECT_TRUE(verdicts[0].kept) << verdicts[0].reason;
  EXPECT_GT(verdicts[0].gain.value, 1.1);
}

TEST(StackSettings, ThatLostInANewerCampaignStayWithdrawn) {
  Planted sampled("1"), compared("2", 2);
  sampled.add("", asked_ns);
  sampled.add("btl_tcp_eager_limit=8056", [](double size) { return asked_ns(size) * 0.7; });
  compared.add("", asked_ns);
  compared.add("btl_tcp_eager_limit=8056", [](double size) { return asked_ns(size) * 1.2; });
  EXPECT_TRUE(judge_groups(samples_of({sampled.set()})).at(0).kept);
  const auto verdict = judge_groups(samples_of({sampled.set(), compared.set()})).at(0);
  EXPECT_FALSE(verdict.kept);
  EXPECT_EQ(verdict.measured_utc, "2");
}

TEST(StackSettings, AreJudgedByAnOlderCampaignWhereTooFewRoundsOfTheNewestCount) {
  const std::string variant = "btl_tcp_eager_limit=8192";
  Planted older("1", 1), newer("2", 2);
  older.add("", [](double s) { return limit_at(s, 65480); });
  older.add(variant, [](double s) { return limit_at(s, 8136); });
  newer.add("", eager_ns);
  newer.add(variant, [](double s) { return 1.5 * eager_ns(s); });
  EXPECT_FALSE(judge_groups(samples_of({older.set(), newer.set()})).at(0).kept);
  newer.disturb(3);
  const auto verdicts = judge_groups(samples_of({older.set(), newer.set()}));
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_TRUE(verdicts[0].kept);
  EXPECT_EQ(verdicts[0].measured_utc, "1");
}

// UCX's threshold between nodes, sampled over TCP and later over verbs, where rendezvous pays from
// a smaller size on.
TEST(StackSettings, OfSeveralNetworksHaveTheValueOfLeastCombinedRegretAndSaySo) {
  const auto verbs_ns = [](double size) { return 5'000 + size * 0.5; };
  const auto sampled_over = [&](const std::string& rail, const std::string& when,
                                const auto& rendezvous_ns, double eager_bytes) {
    Planted planted(when, 1, rail);
    const auto from = [&](double bytes) {
      return [&rendezvous_ns, bytes](double size) {
        return size <= bytes ? eager_ns(size) : rendezvous_ns(size);
      };
    };
    planted.add("e", eager_ns, "copy");
    planted.add("r", rendezvous_ns, "rendezvous");
    planted.add("", from(65480));
    planted.add(fmt::format("UCX_RNDV_THRESH:inter={:.0f}", eager_bytes + 1), from(eager_bytes));
    return planted.set();
  };
  const SampleSet tcp = sampled_over("ucx/tcp", "1", asked_ns, 6000);
  const SampleSet verbs = sampled_over("ucx/verbs", "2", verbs_ns, 1);
  const auto alone = judge_groups(stack_samples("ucx", std::vector{verbs})).at(0);
  EXPECT_TRUE(alone.kept) << alone.reason;
  EXPECT_EQ(alone.settings, (Fields{{"UCX_RNDV_THRESH:inter", "2"}}));
  EXPECT_EQ(alone.shared, "");

  const std::vector<StackSamples> samples = stack_samples("ucx", std::vector{tcp, verbs});
  const auto both = judge_groups(samples).at(0);
  EXPECT_TRUE(both.kept) << both.reason;
  EXPECT_THAT(both.shared, AllOf(HasSubstr("one value for ucx/tcp and ucx/verbs, which costs"),
                                 HasSubstr("measured as UCX_RNDV_THRESH:inter=2")));
  std::vector<StackProtocols> sent(2);
  for (const StackSamples& each : samples) {
    StackProtocols& protocols = sent[each.rail == "ucx/tcp" ? 0 : 1];
    for (const auto& [key, times] : each.times) {
      if (key.method == "copy") protocols.eager = times;
      if (key.method == "rendezvous") protocols.rendezvous = times;
    }
  }
  EXPECT_EQ(both.settings.at("UCX_RNDV_THRESH:inter"),
            std::to_string(choose_threshold(sent)->eager_bytes_max + 1));
}

// The ratios of the rounds are e^0, e^1, e^2 ...
Ratio ratio_of_powers(std::uint32_t rounds) {
  ByRound before, after;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    before[round] = std::exp(static_cast<double>(round));
    after[round] = 1;
  }
  return ratio_of(before, after);
}

// All means of two rounds count with 6 rounds; with 8, three of them at each end do not. With 5,
// all of them make 94 %.
TEST(StackRatio, HasAnIntervalOfAtLeast95PercentFromSixRoundsOn) {
  EXPECT_EQ(kRoundsOfFullConfidence, 6u);
  EXPECT_TRUE(std::isinf(ratio_of_powers(4).high));
  EXPECT_NEAR(std::log(ratio_of_powers(5).low), 0, 1e-9);
  EXPECT_NEAR(std::log(ratio_of_powers(6).low), 0, 1e-9);
  EXPECT_NEAR(std::log(ratio_of_powers(6).high), 5, 1e-9);
  EXPECT_NEAR(std::log(ratio_of_powers(7).low), 1, 1e-9);
  EXPECT_NEAR(std::log(ratio_of_powers(8).low), 1, 1e-9);
  EXPECT_NEAR(std::log(ratio_of_powers(8).high), 6, 1e-9);
}

TEST(StackVersions, OfLibfabricAreTheSameWhereTheirFirstTwoNumbersAre) {
  EXPECT_TRUE(is_same_version("libfabric", "1.18", "1.18.1"));
  EXPECT_FALSE(is_same_version("libfabric", "1.18", "1.19.1"));
  EXPECT_FALSE(is_same_version("openmpi", "4.1", "4.1.4"));
  EXPECT_TRUE(is_same_version("openmpi", "4.1.0", "4.1"));
}

TEST(StackVersions, ThatBeginWithWhatAUserNamesAreMeant) {
  EXPECT_TRUE(is_meant("openmpi", "4.1", "4.1.4"));
  EXPECT_TRUE(is_meant("openmpi", "4.1.4", "4.1.4"));
  EXPECT_FALSE(is_meant("openmpi", "4.1", "4.10.1"));
  EXPECT_FALSE(is_meant("openmpi", "4.1.4", "4.1"));
  EXPECT_FALSE(is_meant("openmpi", "4.1", ""));
}

TEST(StackSettings, AreWordsOfOneLine) {
  const Fields settings = {
      {"btl_tcp_bandwidth_r0", "1"}, {"btl_tcp_eager_limit", "2"}, {"btl_vader_eager_limit", "3"}};
  EXPECT_EQ(from_variant(to_variant(settings)), settings);
  EXPECT_EQ(groups_of(settings), (std::vector<std::string>{"weights", "tcp", "shm"}));
  EXPECT_EQ(of_group(settings, "tcp"), (Fields{{"btl_tcp_eager_limit", "2"}}));
  EXPECT_EQ(without_group(settings, "tcp").size(), 2u);
}

}  // namespace
}  // namespace nmt::stacks
