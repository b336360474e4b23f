// SPDX-License-Identifier: BSD-3-Clause
//
// Links between two hosts that are cut under way: no reset comes, only silence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "drivers/drivers.h"
#include "tests/drivers/pair.h"
#include "tests/engine/traffic.h"
#include "tests/lab/lab.h"
#include "tests/tools/process.h"

namespace nmt::engine {
namespace {

using nmt::testing::Lab;
using ::testing::HasSubstr;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kNoticedWithin{5};

// Two engines of this thread, over sockets of two hosts.
class CutLinks : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string reason = Lab::missing(); !reason.empty()) GTEST_SKIP() << reason;
    lab_.emplace(std::vector<unsigned>{1000, 600});
    drivers::ExchangePair meetings[2];  // one for each rail
    std::vector<LinkDescription> sides[2];
    std::thread far([&] {
      sides[1] = open_links("two", drivers::Side::kFar, {&meetings[0].far(), &meetings[1].far()});
    });
    std::thread near([&] {
      sides[0] =
          open_links("one", drivers::Side::kNear, {&meetings[0].near(), &meetings[1].near()});
    });
    far.join();
    near.join();
    ASSERT_EQ(sides[0].size(), 2u);
    ASSERT_EQ(sides[1].size(), 2u);
    const EngineOptions options{.strategy = GetParam(),
                                .report = [this](const std::string& t) { reports_.push_back(t); }};
    one_ = std::make_unique<Engine>(options);
    two_ = std::make_unique<Engine>(options);
    one_->add_gate("two", std::move(sides[0]));
    two_->add_gate("one", std::move(sides[1]));
  }

  // In a thread of its own, which stays in that host.
  std::vector<LinkDescription> open_links(const std::string& host, drivers::Side side,
                                          const std::vector<drivers::Exchange*>& exchanges) {
    lab_->enter(host);
    std::vector<LinkDescription> links;
    for (const auto& driver : drivers::make_drivers()) {
      for (const drivers::Port& port : driver->ports()) {
        links.push_back({driver->open(port.rail, side, *exchanges.at(links.size())),
                         port.rail.full_name(), driver->methods(port.rail)});
      }
    }
    return links;
  }

  void cut(const std::string& rail) {
    nmt::testing::run(lab_->in("two", {"ip", "link", "set", "dev", rail, "down"}));
    cut_ = SteadyClock::now();
  }

  std::optional<Lab> lab_;
  std::vector<std::string> reports_;
  std::unique_ptr<Engine> one_, two_;
  std::optional<SteadyClock::time_point> cut_;
};

TEST_P(CutLinks, LoseNothingAndAreTold) {
  std::optional<SteadyClock::time_point> told;
  const auto event = [&](double share) {
    if (share > 0.3 && !cut_) cut("r0");
    if (!reports_.empty() && !told) told = SteadyClock::now();
  };
  EXPECT_EQ(run_traffic(*one_, 0, *two_, 0, {.messages = 400}, event), "");
  ASSERT_TRUE(cut_ && told);
  EXPECT_LT(*told - *cut_, kNoticedWithin);
  ASSERT_EQ(reports_.size(), 2u);  // by each end
  EXPECT_THAT(reports_[0],
              HasSubstr("lost a rail; its packets are sent again over the others: tcp:r0"));
  EXPECT_FALSE(one_->links(0)[0].alive);
  EXPECT_TRUE(one_->links(0)[1].alive);
}

TEST_P(CutLinks, AreAllOfAPeersLinksAndItsOperationsEndAsLost) {
  std::vector<std::byte> out(4 << 20), in(4 << 20);
  const drivers::ConstBytes message[] = {out};
  const drivers::Bytes room[] = {in};
  const Engine::Request send = one_->isend(0, 1, message);
  const Engine::Request receive = two_->irecv(0, 1, room);
  const auto has_begun = [&] { return one_->links(0)[0].bytes_sent > 0; };
  ASSERT_TRUE(turn_until(*one_, *two_, has_begun));
  cut("r0");
  cut("r1");
  std::optional<Completion> sent, received;
  ASSERT_TRUE(turn_until(*one_, *two_, [&] {
    if (!sent) sent = one_->test(send);
    if (!received) received = two_->test(receive);
    return sent && received;
  }));
  EXPECT_LT(SteadyClock::now() - *cut_, kNoticedWithin);
  EXPECT_EQ(sent->outcome, Outcome::kLost);
  EXPECT_EQ(received->outcome, Outcome::kLost);
  EXPECT_THAT(reports_.back(), HasSubstr(": lost: "));
}

INSTANTIATE_TEST_SUITE_P(Strategies, CutLinks, ::testing::Values("iso", "adaptive"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::engine
