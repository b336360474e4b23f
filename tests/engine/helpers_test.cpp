// SPDX-License-Identifier: BSD-3-Clause
//
// Eager chunks given to the drivers by other cores, whatever a profile would say of it.
#include "engine/helpers.h"

#include <gtest/gtest.h>
#include <time.h>

#include <array>
#include <chrono>
#include <deque>
#include <optional>
#include <thread>

#include "core/error.h"
#include "engine/gate.h"
#include "tests/drivers/pair.h"
#include "tests/engine/traffic.h"

namespace nmt::engine {
namespace {

std::size_t chunks_elsewhere = 0;
double begin_by_ns = 1e9;  // never is any helper so late

// Halves of the first message by other cores as long as there are any, the rest by this one.
void schedule_elsewhere(Outlet& outlet) {
  for (std::size_t lane = 0; lane < outlet.lanes().size(); ++lane) {
    if (outlet.window().small.empty() || !outlet.lanes()[lane].takes_small) continue;
    const Label& label = outlet.window().small.front().label;
    if (label.kind == Kind::kEager && label.body_bytes > 1 && outlet.helpers() > 0) {
      outlet.send_chunk(lane, label.body_bytes / 2, begin_by_ns);
      ++chunks_elsewhere;
    } else {
      outlet.send_small(lane, 1);
    }
  }
  send_large_whole(outlet);
}
constexpr Strategy kElsewhere = {"elsewhere", schedule_elsewhere, true};

struct FreeTracker {
  void operator()(nmt_rails* tracker) const { nmt_rails_free(tracker); }
};

class Elsewhere : public testing::Test {
 protected:
  explicit Elsewhere(std::size_t helpers = 8, node::Helper::Rest rest = node::Helper::Rest::kSleeps)
      : helpers_(helpers, rest) {
    nmt_rails* tracker = nullptr;
    NMT_CHECK(nmt_rails_new(2, &tracker) == NMT_OK);
    tracker_.reset(tracker);
    context_.emplace(Context{.options = {},
                             .clock = clock_,
                             .advice = Advice(nullptr),
                             .strategy = kElsewhere,
                             .tracker = tracker,
                             .helpers = &helpers_});
    chunks_elsewhere = 0;
    begin_by_ns = 1e9;
  }

  void open(const std::vector<std::string>& rails) {
    std::vector<std::unique_ptr<Link>> sides[2];
    for (const std::string& name : rails) {
      drivers::Pair pair = drivers::open_pair(name);
      if (!pair.near) GTEST_SKIP() << pair.under_test.missing;
      const auto rail = static_cast<std::uint32_t>(sides[0].size());
      for (int side : {0, 1}) {
        LinkDescription link{std::move(side == 0 ? pair.near : pair.far), name, pair.methods()};
        sides[side].push_back(std::make_unique<Link>(std::move(link), kNoPath, rail));
      }
    }
    a_.emplace(*context_, 0, "b", std::move(sides[0]));
    b_.emplace(*context_, 0, "a", std::move(sides[1]));
  }

  // A message of this size from a to b, and whether it came as it was. It begins when there is a
  // helper for its first chunk, however busy the machine is, and whichever helper has to rest.
  bool brings(std::size_t size_bytes, std::uint64_t seed) {
    const auto any_idle = [&] {
      helpers_.count_message();
      return helpers_.idle() > 0;
    };
    if (!drivers::eventually(any_idle)) return false;
    std::vector<std::byte> out(size_bytes), in(size_bytes);
    fill(out, seed);
    auto send = std::make_shared<Send>();
    send->segments = {out};
    send->size_bytes = size_bytes;
    auto receive = std::make_shared<Receive>();
    receive->segments = {in};
    receive->size_bytes = size_bytes;
    b_->irecv(receive);
    a_->isend(send);
    return drivers::eventually([&] {
             a_->progress();
             b_->progress();
             return send->ended && receive->ended;
           }) &&
           receive->completion.outcome == Outcome::kDone && holds(in, seed);
  }

  RealClock clock_;
  Helpers helpers_;
  std::unique_ptr<nmt_rails, FreeTracker> tracker_;
  std::optional<Context> context_;
  std::optional<Gate> a_, b_;
};

TEST_F(Elsewhere, ChunksByOtherCoresMakeTheMessage) {
  if (helpers_.idle() == 0) GTEST_SKIP() << "there is one core only";
  for (const std::vector<std::string>& rails :
       {std::vector<std::string>{"shm"}, {"tcp:lo"}, {"shm", "tcp:lo", "tcp:lo"}}) {
    open(rails);
    if (IsSkipped()) return;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      ASSERT_TRUE(brings(seed % 3 == 0 ? seed : 300 * seed, seed)) << rails.size() << " rails";
    }
    EXPECT_GT(chunks_elsewhere, 200u);
  }
}

// Whichever of the two cores sends a chunk, and however often the helper is too late.
TEST_F(Elsewhere, ChunksThatAreTakenBackMakeTheMessage) {
  if (helpers_.idle() == 0) GTEST_SKIP() << "there is one core only";
  open({"shm", "tcp:lo"});
  if (IsSkipped()) return;
  for (const double late_ns : {0.0, 5e3, 20e3, 100e3}) {
    begin_by_ns = late_ns;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      ASSERT_TRUE(brings(300 * seed, seed)) << late_ns;
    }
  }
  EXPECT_GT(chunks_elsewhere, 100u);
}

// One that polls for chunks all the time.
class ElsewhereAtOnce : public Elsewhere {
 protected:
  ElsewhereAtOnce() : Elsewhere(1, node::Helper::Rest::kSpins) {}
};

TEST_F(ElsewhereAtOnce, ChunksByOtherCoresMakeTheMessage) {
  if (helpers_.idle() == 0) GTEST_SKIP() << "there is one core only";
  EXPECT_EQ(helpers_.idle(), 1u);
  EXPECT_TRUE(helpers_.placement().ends_with(" spinning")) << helpers_.placement();
  open({"shm", "tcp:lo"});
  if (IsSkipped()) return;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) ASSERT_TRUE(brings(300 * seed, seed));
  EXPECT_GE(chunks_elsewhere, 50u);
}

double now_of(clockid_t clock) {
  timespec now{};
  NMT_CHECK(::clock_gettime(clock, &now) == 0);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

// The processor time of all threads but this one.
double others_ns() { return now_of(CLOCK_PROCESS_CPUTIME_ID) - now_of(CLOCK_THREAD_CPUTIME_ID); }

TEST(Helpers, OfAnEngineSpinOnlyIfAsked) {
  if (node::allowed_cores().size() < 2) GTEST_SKIP() << "there is one core only";
  constexpr double kWorksNs = 20e6;
  const double begin_ns = others_ns();
  {
    const Engine engine({.strategy = "offload", .spinning_helpers = 1});
    EXPECT_TRUE(drivers::eventually([&] { return others_ns() - begin_ns > kWorksNs; }));
  }
  const double asleep_ns = others_ns();
  const Engine engine({.strategy = "offload"});
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LT(others_ns() - asleep_ns, kWorksNs);
}

class IdleEndpoint final : public drivers::Endpoint {
 public:
  void send(Method, std::span<const drivers::Packet>) override {}
  void receive(drivers::Bytes, drivers::Bytes, drivers::Delivery) override {}
  void listen(drivers::Bytes) override {}
  void accept(std::span<const drivers::Bytes>) override {}
  Progress poll() override { return {}; }
  void copy(drivers::Bytes, drivers::ConstBytes) override {}
  std::size_t size_bytes_max(Method) const override { return 0; }
};

TEST(CoreHelper, RestsForTwiceAsManyMessagesEachTimeItIsLate) {
  IdleEndpoint endpoint;
  const std::array<std::byte, sizeof(Head) + sizeof(Label)> headers{};
  std::deque<Job> jobs;  // the helper may begin some of them before they are taken back
  CoreHelper helper(node::allowed_cores().back(), node::Helper::Rest::kSleeps);
  const auto is_late = [&] {
    if (!helper.idle()) return false;
    jobs.emplace_back(endpoint, Method::kCopy, headers, drivers::ConstBytes{});
    helper.start(jobs.back());
    return helper.take_back();
  };
  for (const unsigned rest : {1u, 2u, 4u, 8u, 16u}) {
    ASSERT_TRUE(drivers::eventually(is_late));
    for (unsigned message = 0; message < rest; ++message) {
      EXPECT_FALSE(helper.idle()) << "after " << message << " of " << rest;
      helper.count_message();
    }
    EXPECT_TRUE(drivers::eventually([&] { return helper.idle(); })) << rest;
  }
  helper.was_in_time();
  ASSERT_TRUE(drivers::eventually(is_late));
  helper.count_message();
  EXPECT_TRUE(drivers::eventually([&] { return helper.idle(); }));
}

TEST_F(Elsewhere, ADriversErrorThereLosesTheLinkHere) {
  if (helpers_.idle() == 0) GTEST_SKIP() << "there is one core only";
  open({"tcp:lo"});
  if (IsSkipped()) return;
  ASSERT_TRUE(brings(5000, 1));
  b_.reset();
  auto send = std::make_shared<Send>();
  std::vector<std::byte> out(5000);
  for (int i = 0; i < 1000 && !a_->lost(); ++i) {
    send = std::make_shared<Send>();
    send->segments = {out};
    send->size_bytes = out.size();
    a_->isend(send);
    a_->progress();
  }
  ASSERT_TRUE(drivers::eventually([&] {
    a_->progress();
    return a_->lost();
  }));
  EXPECT_TRUE(send->ended);
}

}  // namespace
}  // namespace nmt::engine
