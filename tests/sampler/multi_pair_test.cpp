// SPDX-License-Identifier: BSD-3-Clause
//
// Several pairs of ranks at a time: each rank is a thread, and the wires between them are sockets.
#include "sampler/rail/multi_pair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <deque>
#include <memory>
#include <thread>

#include "core/error.h"
#include "drivers/drivers.h"
#include "sampler/rail/answer.h"
#include "sampler/rail/rail_campaign.h"
#include "tests/sampler/described_rail.h"
#include "tuner/tuner.h"

namespace nmt::sampler {
namespace {

using control::Connection;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

struct Wire {
  std::unique_ptr<Connection> here, there;
};
Wire wire() {
  int ends[2];
  NMT_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
  return {std::make_unique<Connection>(Descriptor(ends[0]), "there"),
          std::make_unique<Connection>(Descriptor(ends[1]), "here")};
}

// A rank's pair in virtual time: durations by plan, which depend on nothing but the experiment.
class PlannedPair final : public Benchmark {
 public:
  using Duration = std::function<double(const Experiment&)>;
  PlannedPair(Duration duration_ns, std::function<void()> line_up)
      : duration_ns_(std::move(duration_ns)), line_up_(std::move(line_up)) {}

  BlockResult run(std::span<const Step> block) override {
    BlockResult result{.interference = interference};
    for (const Step& step : block) {
      line_up_();
      const auto total_ns = static_cast<std::uint64_t>(duration_ns_(step.experiment) * step.batch *
                                                       operations(step.experiment));
      result.totals_ns.emplace_back(step.repetitions, total_ns);
      clock_.advance_to(clock_.now_ns() + total_ns * (step.repetitions + step.warm_ups));
    }
    return result;
  }
  const Clock& clock() const override { return clock_; }

  node::Interference interference;

 private:
  Duration duration_ns_;
  std::function<void()> line_up_;
  VirtualClock clock_;
};

// A leader and its companions, as threads that follow until the end.
class ManyRanks : public ::testing::Test {
 protected:
  using Open = std::function<std::unique_ptr<Benchmark>(std::size_t rank, std::function<void()>)>;

  void start(std::size_t companions, Open open) {
    for (std::size_t i = 0; i < companions; ++i) {
      Wire& own = wires_.emplace_back(wire());
      companions_.push_back(own.here.get());
      threads_.emplace_back([this, i, open, leader = own.there.get()] {
        follow_leader(*leader,
                      {.open = [&](const std::string&,
                                   std::function<void()> line_up) { return open(i + 1, line_up); },
                       .close = [&] { ++closed_; },
                       .end = [&](const std::string&) { ++ended_; }},
                      kSizeBytesMax);
      });
    }
  }
  void end() {
    CompanionsEnd{companions_};
    for (std::thread& each : threads_) each.join();
    threads_.clear();
  }
  void TearDown() override {
    if (!threads_.empty()) end();
  }

  static constexpr std::uint64_t kSizeBytesMax = 1 << 20;
  std::deque<Wire> wires_;
  std::vector<Connection*> companions_;
  std::vector<std::thread> threads_;
  std::atomic<int> closed_ = 0, ended_ = 0;
};

std::vector<Step> some_steps(std::size_t count) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < count; ++i) {
    steps.push_back({.experiment = {.size_bytes = 100 + i}, .repetitions = 2});
  }
  return steps;
}

TEST_F(ManyRanks, GiveTheLeaderTheTimesOfAllOfThem) {
  const auto duration = [](std::size_t rank) {
    return [rank](const Experiment&) { return 1000.0 * static_cast<double>(rank + 1); };
  };
  start(2, [&](std::size_t rank, std::function<void()> line_up) {
    auto pair = std::make_unique<PlannedPair>(duration(rank), line_up);
    if (rank == 2) pair->interference.run_delay_ns = 77;
    return pair;
  });
  open_companions(companions_, "tcp:r0");
  PlannedPair own(duration(0), [&] { line_up(companions_); });
  MultiPair all(own, companions_);
  const BlockResult result = all.run(some_steps(3));
  ASSERT_THAT(result.totals_ns, SizeIs(3));
  for (const auto& totals_ns : result.totals_ns) {
    EXPECT_THAT(totals_ns, ElementsAre(2000, 2000, 4000, 4000, 6000, 6000));
  }
  EXPECT_EQ(result.interference.run_delay_ns, 77u);
  close_companions(companions_);
  EXPECT_EQ(closed_, 2);
  end();
  EXPECT_EQ(ended_, 2);
}

// Nobody begins a step before all have ended the one before it.
TEST_F(ManyRanks, BeginEachStepTogether) {
  constexpr std::size_t kRanks = 4, kSteps = 20;
  std::atomic<std::size_t> begun[kSteps] = {};
  std::atomic<bool> early = false;
  const auto begin = [&](const Experiment& experiment) {
    const std::size_t step = experiment.size_bytes - 100;
    if (step > 0 && begun[step - 1] != kRanks) early = true;
    std::this_thread::sleep_for(std::chrono::microseconds(begun[step]++ * 200));
    return 10.0;
  };
  start(kRanks - 1, [&](std::size_t, std::function<void()> line_up) {
    return std::make_unique<PlannedPair>(begin, line_up);
  });
  open_companions(companions_, "tcp:r0");
  PlannedPair own(begin, [&] { line_up(companions_); });
  MultiPair all(own, companions_);
  all.run(some_steps(kSteps));
  EXPECT_FALSE(early);
  EXPECT_EQ(begun[kSteps - 1], kRanks);
}

TEST_F(ManyRanks, OfWhichOneFailsNameTheCauseAndAreClosed) {
  std::atomic<int> steps = 0;
  start(2, [&](std::size_t rank, std::function<void()> line_up) {
    return std::make_unique<PlannedPair>(
        [rank, &steps](const Experiment&) {
          if (rank == 2 && ++steps == 2) throw Error(Fault::kPeer, "its cable is cut");
          return 10.0;
        },
        line_up);
  });
  open_companions(companions_, "tcp:r0");
  PlannedPair own([](const Experiment&) { return 10.0; }, [&] { line_up(companions_); });
  MultiPair all(own, companions_);
  try {
    all.run(some_steps(5));
    ADD_FAILURE() << "went on";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("its cable is cut"));
  }
  close_companions(companions_);
  EXPECT_EQ(closed_, 2);

  // The next rail is measured.
  open_companions(companions_, "tcp:r1");
  EXPECT_THAT(MultiPair(own, companions_).run(some_steps(1)).totals_ns.front(), SizeIs(6));
}

TEST_F(ManyRanks, AreClosedWhereTheLeaderFails) {
  start(2, [](std::size_t, std::function<void()> line_up) {
    return std::make_unique<PlannedPair>([](const Experiment&) { return 10.0; }, line_up);
  });
  open_companions(companions_, "tcp:r0");
  PlannedPair own([](const Experiment&) -> double { throw Error(Fault::kPeer, "cut"); },
                  [&] { line_up(companions_); });
  MultiPair all(own, companions_);
  EXPECT_THROW(all.run(some_steps(5)), Error);
  close_companions(companions_);
  EXPECT_EQ(closed_, 2);
}

// A campaign by one rank, and by eight: they share the wire, also for the question of a rendezvous,
// but not the processors, which copy eager messages.
TEST_F(ManyRanks, HaveAnotherThresholdThanOneAlone) {
  const auto duration_ns = [](double ranks) {
    return [ranks](const Experiment& experiment) {
      const auto size = static_cast<double>(experiment.size_bytes);
      const Traffic& traffic = kTraffics[experiment.traffic];
      if (traffic.local) return 20 + 0.1 * size;
      const bool asks = experiment.method == Method::kRendezvous;
      const double copies = asks ? 0 : 0.8 * size;
      const double packets = traffic.messages * traffic.packets;
      return (asks ? 1000 + 4000 * ranks : 1000) + packets * (copies + ranks * 0.1 * size);
    };
  };
  constexpr std::uint64_t kLargestBytes = 1 << 16;
  const SamplingOptions options{.size_bytes_max = kLargestBytes};
  const auto threshold = [&](Benchmark& benchmark, std::int64_t ranks) {
    SampleSet set;
    set.path.from = set.path.to = {.driver = "tcp", .name = "r0"};
    Sample prototype;
    prototype.condition.placement = "other-node";
    prototype.condition.ranks_per_node = ranks;
    std::map<std::tuple<Condition, std::uint64_t>, Sample> cells;
    RailCampaign campaign(benchmark, options,
                          {.space = {.methods = {Method::kCopy, Method::kRendezvous},
                                     .size_bytes_max = kLargestBytes,
                                     .max_unexpected_bytes = kLargestBytes},
                           .prototype = prototype,
                           .real = false},
                          {.measured =
                               [&](std::span<const Sample> measured) {
                                 for (const Sample& cell : measured)
                                   cells[{cell.condition, cell.size_bytes}] = cell;
                               },
                           .progress = [](std::string_view) {},
                           .interrupted = [] { return false; }},
                          2e9);
    campaign.run();
    for (const auto& [key, cell] : cells) set.samples.push_back(cell);
    const Plan plan = tuner::derive_plan({}, std::span(&set, 1), {.max_unexpected_bytes = 1 << 20});
    EXPECT_EQ(plan.rails.at(0).ranks_per_nic, ranks);
    return static_cast<double>(
        plan.rails.at(0).find_threshold(DecisionKind::kRendezvous)->bytes.value_or(0));
  };
  PlannedPair one(duration_ns(1), [] {});
  const double alone_bytes = threshold(one, 1);
  start(7, [&](std::size_t, std::function<void()> line_up) {
    return std::make_unique<PlannedPair>(duration_ns(8), line_up);
  });
  open_companions(companions_, "tcp:r0");
  PlannedPair own(duration_ns(8), [&] { line_up(companions_); });
  MultiPair all(own, companions_);
  const double together_bytes = threshold(all, 8);
  EXPECT_NEAR(together_bytes / alone_bytes, 8, 1);
}

// Two pairs of ranks over a real rail, each rank a thread.
TEST_F(ManyRanks, MeasureARealRail) {
  const auto find = [](std::vector<std::unique_ptr<drivers::Driver>>& drivers) {
    for (const auto& driver : drivers) {
      if (driver->name() != "tcp") continue;
      for (const Rail& rail : driver->detect().rails) return RailToSample{driver.get(), rail};
    }
    return RailToSample{};
  };
  constexpr std::uint32_t kRanks = 2;
  SamplingOptions options{.budget_ns = 2e9, .size_bytes_max = 4096, .ranks_per_node = kRanks};
  Wire between = wire();
  std::vector<Wire> across;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) across.push_back(wire());
  std::vector<std::thread> threads;
  std::vector<SampleCollector> far(kRanks);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    SamplingOptions own = options;
    own.rank = rank;
    threads.emplace_back([&, own, rank] {
      auto drivers = drivers::make_drivers();
      RailToSample rail = find(drivers);
      rail.peer = across[rank].there.get();
      EXPECT_EQ(answer_campaign(std::span(&rail, 1), own, far[rank]).peer_lost, "");
    });
    if (rank == 0) continue;
    threads.emplace_back([&, own, rank] {
      auto drivers = drivers::make_drivers();
      RailToSample rail = find(drivers);
      rail.peer = across[rank].here.get();
      accompany_campaign(std::span(&rail, 1), own, *between.there);
    });
  }
  auto drivers = drivers::make_drivers();
  RailToSample rail = find(drivers);
  rail.peer = across[0].here.get();
  SampleCollector near;
  Connection* const companions[] = {between.here.get()};
  const CampaignReport report = run_campaign(std::span(&rail, 1), options, {}, near, companions);
  for (std::thread& each : threads) each.join();
  ASSERT_THAT(report.rails, SizeIs(1));
  EXPECT_EQ(report.rails[0].failure, "");
  const std::vector<Sample> samples = near.samples(rail.rail.full_name());
  ASSERT_FALSE(samples.empty());
  for (const Sample& sample : samples) {
    EXPECT_EQ(sample.condition.ranks_per_node, kRanks);
    EXPECT_EQ(sample.repetitions.size() % kRanks, 0u);
  }
  EXPECT_EQ(far[0].samples(rail.rail.full_name()).size(), samples.size());
  EXPECT_TRUE(far[1].samples(rail.rail.full_name()).empty());
}

}  // namespace
}  // namespace nmt::sampler
