// SPDX-License-Identifier: BSD-3-Clause
//
// Rails measured while others are busy, on described rails.
#include "sampler/rail/busy_rails.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

#include "core/statistics.h"
#include "sampler/rail/measurement_space.h"
#include "sampler/rail/pacing.h"
#include "sampler/rail/partner.h"
#include "tests/sampler/described_rail.h"

namespace nmt::sampler {
namespace {

constexpr std::size_t kSizeMax = std::size_t{1} << 20;

std::string rail_json(const std::string& name, double ns_per_byte, const std::string& bus = "") {
  const auto curve = [&](double start_ns) {
    return "[[1," + std::to_string(start_ns) + "],[16777216," +
           std::to_string(start_ns + 16777216 * ns_per_byte) + "]]";
  };
  return R"({"name":")" + name + R"(","methods":{"copy":)" + curve(3000) + R"(,"iovec":)" +
         curve(3200) + R"(,"rendezvous":)" + curve(9000) + R"(,"memcpy":[[1,20],[65536,9000]]})" +
         (bus.empty() ? "" : R"(,"bus":)" + bus) + "}";
}

std::unique_ptr<drivers::Driver> driver_of(const std::vector<std::string>& rails) {
  std::string list;
  for (const std::string& rail : rails) list += (list.empty() ? "" : ",") + rail;
  return described(R"({"rails":[)" + list + "]}");
}

std::vector<RailToSample> rails_of(drivers::Driver& driver) {
  std::vector<RailToSample> rails;
  for (const Rail& rail : driver.detect().rails) rails.push_back({&driver, rail});
  return rails;
}

// Counts what bodies come over each rail of another driver, and by which methods they go.
class Counting final : public drivers::Driver {
 public:
  explicit Counting(drivers::Driver& driver) : driver_(driver) {}
  std::string_view name() const override { return driver_.name(); }
  drivers::Detection detect() override { return driver_.detect(); }
  std::vector<Method> methods(const Rail& rail) const override { return driver_.methods(rail); }
  Clock* virtual_clock() override { return driver_.virtual_clock(); }
  std::unique_ptr<drivers::Endpoint> open(const Rail& rail, drivers::Side side,
                                          drivers::Exchange& exchange) override {
    return std::make_unique<End>(driver_.open(rail, side, exchange), received_bytes[rail.name],
                                 sent_by[rail.name]);
  }

  std::map<std::string, std::size_t> received_bytes;
  std::map<std::string, std::set<Method>> sent_by;

 private:
  class End final : public drivers::Endpoint {
   public:
    End(std::unique_ptr<drivers::Endpoint> end, std::size_t& bytes, std::set<Method>& methods)
        : end_(std::move(end)), bytes_(bytes), methods_(methods) {}
    void send(Method method, std::span<const drivers::Packet> packets) override {
      if (!packets.front().body.empty()) methods_.insert(method);
      end_->send(method, packets);
    }
    void receive(drivers::Bytes headers, drivers::Bytes bodies,
                 drivers::Delivery delivery) override {
      end_->receive(headers, bodies, delivery);
    }
    void listen(drivers::Bytes headers) override { end_->listen(headers); }
    void accept(std::span<const drivers::Bytes> bodies) override { end_->accept(bodies); }
    Progress poll() override {
      const Progress progress = end_->poll();
      bytes_ += progress.received_bytes;
      return progress;
    }
    void copy(drivers::Bytes to, drivers::ConstBytes from) override { end_->copy(to, from); }
    std::size_t size_bytes_max(Method method) const override {
      return end_->size_bytes_max(method);
    }

   private:
    std::unique_ptr<drivers::Endpoint> end_;
    std::size_t& bytes_;
    std::set<Method>& methods_;
  };
  drivers::Driver& driver_;
};

Step step(std::uint64_t size_bytes, bool contended) {
  return {{0, Method::kCopy, 0, Regime::kHot, contended, size_bytes}, 1, 3, 2};
}

TEST(BusyRails, AreBusyForAsLongAsTheMeasuredTransferLasts) {
  for (const double busy_ns_per_byte : {0.2, 1.0, 5.0}) {
    const auto driver = driver_of({rail_json("a", 1), rail_json("b", busy_ns_per_byte)});
    Counting counting(*driver);
    const auto rails = rails_of(counting);
    const Buffers buffers = Buffers::described(kSizeMax);
    const auto partner = in_process_partner({0, {1}}, rails, buffers);
    PingPong ping_pong(*partner, buffers, nullptr);
    for (const std::uint64_t size_bytes : {std::uint64_t{1} << 16, std::uint64_t{1} << 20}) {
      counting.received_bytes["b"] = 0;
      const Step steps[] = {step(size_bytes, true)};
      const BlockResult result = ping_pong.run(steps);
      const double body_bytes = static_cast<double>(size_bytes) / 8;
      const double start_ns = body_bytes > 65536 ? 9000 : 3200;  // by rendezvous, by iovec
      const double body_ns = start_ns + (body_bytes - 1) * busy_ns_per_byte;
      const double capacity_bytes = static_cast<double>(result.elapsed_ns) / body_ns * body_bytes;
      const double share = static_cast<double>(counting.received_bytes["b"]) / capacity_bytes;
      EXPECT_GT(share, 0.9) << busy_ns_per_byte << " " << size_bytes;
      // Both ways only for what is still on its way when a transfer turns round.
      const double tail_bytes = 2 * body_bytes * 16;
      EXPECT_LT(share, 1.0 + tail_bytes / capacity_bytes);
    }
  }
}

TEST(BusyRails, SendLargeMessagesByRendezvousAsAnEngineWould) {
  const auto driver = driver_of({rail_json("a", 1), rail_json("b", 1)});
  Counting counting(*driver);
  const auto rails = rails_of(counting);
  const Buffers buffers = Buffers::described(kSizeMax);
  const auto partner = in_process_partner({0, {1}}, rails, buffers);
  PingPong ping_pong(*partner, buffers, nullptr);
  for (const auto& [size_bytes, method] :
       {std::pair(std::uint64_t{1} << 16, Method::kIovec),
        std::pair(std::uint64_t{1} << 20, Method::kRendezvous)}) {
    counting.sent_by["b"].clear();
    const Step steps[] = {step(size_bytes, true)};
    ping_pong.run(steps);
    EXPECT_EQ(counting.sent_by["b"], std::set{method}) << size_bytes;
  }
}

TEST(BusyRails, AreQuietAgainBeforeTheNextExperimentAlone) {
  const std::string bus = R"({"name":"pci","slowdown":2})";
  const auto driver = driver_of({rail_json("a", 1, bus), rail_json("b", 1, bus)});
  const auto rails = rails_of(*driver);
  const Buffers buffers = Buffers::described(kSizeMax);
  const auto partner = in_process_partner({0, {1}}, rails, buffers);
  PingPong ping_pong(*partner, buffers, nullptr);
  for (int block = 0; block < 3; ++block) {
    const Step steps[] = {step(4096, true), step(4096, false), step(4096, true)};
    const BlockResult result = ping_pong.run(steps);
    const double alone_ns = 3000 + 4095;
    for (const std::uint64_t total_ns : result.totals_ns[1]) {
      EXPECT_NEAR(static_cast<double>(total_ns) / 4, alone_ns, 1);
    }
    for (const std::size_t together : {std::size_t{0}, std::size_t{2}}) {
      for (const std::uint64_t total_ns : result.totals_ns[together]) {
        EXPECT_NEAR(static_cast<double>(total_ns) / 4, 2 * alone_ns, 1);
      }
    }
  }
}

class NoExchange final : public drivers::Exchange {
  std::string swap(std::string_view) override { return ""; }
};

// Keeps what is sent until it is polled, as a connection does that cannot take more at once.
class Slow final : public drivers::Endpoint {
 public:
  explicit Slow(std::unique_ptr<drivers::Endpoint> end) : end_(std::move(end)) {}
  void send(Method method, std::span<const drivers::Packet> packets) override {
    const drivers::ConstBytes header = packets.front().header;
    waiting_.push_back({method, {header.begin(), header.end()}, packets.front().body});
  }
  void receive(drivers::Bytes headers, drivers::Bytes bodies, drivers::Delivery delivery) override {
    end_->receive(headers, bodies, delivery);
  }
  void listen(drivers::Bytes headers) override { end_->listen(headers); }
  void accept(std::span<const drivers::Bytes> bodies) override { end_->accept(bodies); }
  Progress poll() override {
    if (!waiting_.empty()) {
      const drivers::Packet packet{waiting_.front().header, waiting_.front().body};
      end_->send(waiting_.front().method, std::span(&packet, 1));
      waiting_.pop_front();
    }
    return end_->poll();
  }
  void copy(drivers::Bytes to, drivers::ConstBytes from) override { end_->copy(to, from); }
  std::size_t size_bytes_max(Method method) const override { return end_->size_bytes_max(method); }

 private:
  struct Waiting {
    Method method;
    std::vector<std::byte> header;
    drivers::ConstBytes body;
  };
  std::unique_ptr<drivers::Endpoint> end_;
  std::deque<Waiting> waiting_;
};

// An end that has settled is polled no more.
TEST(BusyRails, HaveSettledOnceTheirLastWordHasGone) {
  const auto driver = driver_of({rail_json("a", 1)});
  const Rail rail = driver->detect().rails.front();
  NoExchange exchange;
  BusyRails near(drivers::Side::kNear), far(drivers::Side::kFar);
  near.add(std::make_unique<Slow>(driver->open(rail, drivers::Side::kNear, exchange)),
           driver->methods(rail));
  far.add(std::make_unique<Slow>(driver->open(rail, drivers::Side::kFar, exchange)),
          driver->methods(rail));
  near.begin_transfer(kSizeMax);
  far.begin_transfer(kSizeMax);
  near.finish();
  for (int polls = 0; polls < 1000 && !near.settled(); ++polls) {
    near.poll();
    if (!far.settled()) far.poll();
  }
  EXPECT_TRUE(near.settled());
  EXPECT_TRUE(far.settled());
}

// Median of each transfer hot, by (busy rails, method, size).
using Cell = std::tuple<std::string, std::string, std::uint64_t>;
std::map<Cell, double> medians(const std::vector<Sample>& samples) {
  std::map<Cell, double> found;
  for (const Sample& sample : samples) {
    const Condition& c = sample.condition;
    if (c.benchmark != benchmark::kTransfer || c.regime != "hot") continue;
    found[{c.busy_rails, c.method, sample.size_bytes}] = summarize(sample.repetitions).median_ns;
  }
  return found;
}

void expect_factor(const SampleCollector& recorder, const std::string& rail,
                   const std::string& busy, double factor) {
  const auto all = medians(recorder.samples(rail));
  std::size_t compared = 0;
  for (const auto& [cell, duration_ns] : all) {
    const auto& [contended, method, size_bytes] = cell;
    const auto alone = all.find({"", method, size_bytes});
    if (contended != busy || alone == all.end()) continue;
    EXPECT_NEAR(duration_ns / alone->second, factor, 0.001)
        << rail << " beside " << busy << " " << method << " " << size_bytes;
    ++compared;
  }
  EXPECT_GE(compared, 20u) << rail << " beside " << busy;
}

TEST(RailsTogether, IndependentOnesAreAsFastAsAlone) {
  const auto driver = driver_of({rail_json("a", 1), rail_json("b", 0.6)});
  SampleCollector recorder;
  const CampaignReport report = sample(*driver, {.budget_ns = 20e9, .pairs = true}, recorder);
  ASSERT_EQ(report.rails.size(), 4u);
  EXPECT_EQ(report.rails[2].rail, "fake:a");
  EXPECT_EQ(report.rails[2].busy_rails, "fake:b");
  EXPECT_EQ(report.rails[2].failure, "");
  EXPECT_TRUE(report.rails[2].complete);
  expect_factor(recorder, "fake:a", "fake:b", 1);
  expect_factor(recorder, "fake:b", "fake:a", 1);
}

TEST(RailsTogether, ThoseOnOneBusShowTheirSlowdown) {
  const auto driver =
      driver_of({rail_json("a", 1, R"({"name":"pci","slowdown":1.5})"),
                 rail_json("b", 0.6, R"({"name":"pci","slowdown":1.2})"), rail_json("c", 0.6)});
  SampleCollector recorder;
  sample(*driver, {.budget_ns = 60e9, .pairs = true}, recorder);
  expect_factor(recorder, "fake:a", "fake:b", 1.5);
  expect_factor(recorder, "fake:b", "fake:a", 1.2);
  expect_factor(recorder, "fake:a", "fake:c", 1);
  expect_factor(recorder, "fake:a", "fake:b,fake:c", 1.5);
}

TEST(RailsTogether, EveryRailIsMeasuredBesideEachOtherAndBesideAllOthers) {
  const auto driver = driver_of({rail_json("a", 1), rail_json("b", 1), rail_json("c", 1)});
  const auto rails = rails_of(*driver);
  const std::vector<RailGroup> expected = {{0, {1}}, {1, {0}},    {0, {2}},    {2, {0}},   {1, {2}},
                                           {2, {1}}, {0, {1, 2}}, {1, {0, 2}}, {2, {0, 1}}};
  EXPECT_EQ(contended_groups(rails, {true, true, true}), expected);
  const std::vector<RailGroup> without_b = {{0, {2}}, {2, {0}}};
  EXPECT_EQ(contended_groups(rails, {true, false, true}), without_b);
}

TEST(RailsTogether, RailsOfDifferentTimesAreNot) {
  const auto one = driver_of({rail_json("a", 1)});
  const auto other = driver_of({rail_json("b", 1)});
  std::vector<RailToSample> rails = rails_of(*one);
  rails.push_back(rails_of(*other).front());
  EXPECT_TRUE(contended_groups(rails, {true, true}).empty());
}

TEST(RailsTogether, RoundsOfARailAreNeverCountedTwice) {
  const auto driver = driver_of({rail_json("a", 1), rail_json("b", 1), rail_json("c", 1)});
  SampleCollector recorder;
  sample(*driver, {.budget_ns = 10e9, .size_bytes_max = 65536, .pairs = true}, recorder);
  std::map<std::string, std::set<std::uint32_t>> rounds;  // by what was busy
  for (const Sample& each : recorder.samples("fake:a")) {
    for (const Repetition& r : each.repetitions) {
      if (!each.condition.busy_rails.empty()) rounds[each.condition.busy_rails].insert(r.round);
    }
  }
  ASSERT_EQ(rounds.size(), 3u);
  std::set<std::uint32_t> all;
  for (const auto& [busy, numbers] : rounds) {
    for (const std::uint32_t round : numbers) {
      EXPECT_TRUE(all.insert(round).second) << round << " beside " << busy;
    }
  }
}

TEST(RailsTogether, OneOfWhichNothingIsKnownYetIsTriedOnceAndNotTenThousandTimes) {
  const Evidence nothing({}, 0.02, {});
  const Pacing pacing(nothing, {.timer_cost_ns = 20, .repetition_ns_min = 500e3});
  const auto steps = pacing.glance({{0, Method::kCopy, 0, Regime::kHot, false, kSizeMax}}, 1);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].batch, 1u);
}

TEST(RailsTogether, StayWithinTheBudget) {
  for (const double budget_ns : {1e9, 10e9}) {
    const auto driver = driver_of({rail_json("a", 1), rail_json("b", 0.6)});
    SampleCollector recorder;
    const auto report = sample(*driver, {.budget_ns = budget_ns, .pairs = true}, recorder);
    EXPECT_LE(report.elapsed_ns, 1.1 * budget_ns);
  }
}

}  // namespace
}  // namespace nmt::sampler
