// SPDX-License-Identifier: BSD-3-Clause
#include "tests/engine/virtual_couple.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "core/error.h"
#include "drivers/drivers.h"
#include "tests/drivers/pair.h"

namespace nmt::engine {
namespace {

std::string json_of(const std::vector<Point>& points) {
  std::string text;
  for (const Point& point : points) {
    text +=
        fmt::format("{}[{:.0f},{}]", text.empty() ? "" : ",", point.size_bytes, point.duration_ns);
  }
  return "[" + text + "]";
}

std::unique_ptr<drivers::Driver> described_driver(const std::vector<DescribedRail>& rails) {
  std::string text;
  for (const DescribedRail& rail : rails) {
    text += fmt::format(R"({}{{"name":"{}","methods":{{"copy":{},"rendezvous":{}}},)"
                        R"("change":{{"from_ns":{},"to_ns":{},"factor":{}}}}})",
                        text.empty() ? "" : ",", rail.name, json_of(rail.copy),
                        json_of(rail.rendezvous), rail.change_from_ns, rail.change_to_ns,
                        rail.change_factor);
  }
  const planted::Folder folder;
  const std::string file = folder.file("rails.json");
  std::ofstream(file) << R"({"rails":[)" << text << "]}";
  return drivers::make_fake_driver(file, 1);
}

Plan plan_of(const std::vector<DescribedRail>& rails) {
  std::vector<RailPlan> plans;
  for (const DescribedRail& rail : rails) {
    const std::vector<std::uint64_t> aggregated(rail.aggregate_below_bytes > 0 ? 1 : 0,
                                                rail.aggregate_below_bytes);
    plans.push_back(planted::rail(
        "fake:" + rail.name,
        {planted::curve(benchmark::kTransfer, "copy", rail.copy),
         planted::curve(benchmark::kTransfer, "rendezvous", rail.rendezvous)},
        {planted::threshold(DecisionKind::kRendezvous, {rail.threshold_bytes}),
         planted::threshold(DecisionKind::kAggregation, aggregated, aggregated.empty())}));
  }
  return planted::plan(std::move(plans));
}

}  // namespace

VirtualCouple::VirtualCouple(const std::vector<DescribedRail>& rails, const std::string& strategy,
                             const std::vector<DescribedRail>* believed)
    : profile_(believed ? std::make_unique<planted::Profile>(plan_of(*believed)) : nullptr),
      driver_(described_driver(rails)) {
  const EngineOptions options{.strategy = strategy,
                              .profile = profile_ ? profile_->get() : nullptr,
                              .clock = driver_->virtual_clock()};
  near_ = std::make_unique<Engine>(options);
  far_ = std::make_unique<Engine>(options);
  std::vector<LinkDescription> sides[2];
  drivers::ExchangePair meeting;
  for (const Rail& rail : driver_->detect().rails) {
    const std::vector<Method> methods = driver_->methods(rail);
    sides[0].push_back(
        {driver_->open(rail, drivers::Side::kNear, meeting.near()), rail.full_name(), methods});
    sides[1].push_back(
        {driver_->open(rail, drivers::Side::kFar, meeting.far()), rail.full_name(), methods});
  }
  near_->add_gate("far", std::move(sides[0]));
  far_->add_gate("near", std::move(sides[1]));
}

double VirtualCouple::transfer_ns(const std::vector<std::size_t>& sizes_bytes,
                                  std::size_t segments) {
  std::vector<std::vector<std::byte>> from, to;
  std::vector<Engine::Request> sends, receives;
  const std::uint64_t first_tag = tag_;
  for (const std::size_t size_bytes : sizes_bytes) {
    from.emplace_back(size_bytes, std::byte{0x5a});
    to.emplace_back(size_bytes);
    const drivers::Bytes room[] = {to.back()};
    receives.push_back(far_->irecv(0, tag_++, room));
  }
  const double start_ns = now_ns();
  tag_ = first_tag;
  for (const std::vector<std::byte>& message : from) {
    std::vector<drivers::ConstBytes> parts;
    const std::size_t part_bytes = message.size() / segments;
    for (std::size_t i = 0; i + 1 < segments; ++i) {
      parts.push_back(drivers::ConstBytes(message).subspan(i * part_bytes, part_bytes));
    }
    parts.push_back(drivers::ConstBytes(message).subspan((segments - 1) * part_bytes));
    sends.push_back(near_->isend(0, tag_++, parts));
  }
  arrivals_ns_.assign(receives.size(), -1);
  std::size_t left = receives.size() + sends.size();
  for (int round = 0; left > 0; ++round) {
    NMT_CHECK(round < 1000000);
    near_->progress();
    far_->progress();  // also once all has come: sends end when that is confirmed
    for (std::size_t i = 0; i < sends.size(); ++i) {
      if (sends[i] != 0 && near_->test(sends[i])) sends[i] = 0, --left;
      if (receives[i] == 0 || !far_->test(receives[i])) continue;
      receives[i] = 0;
      --left;
      arrivals_ns_[i] = now_ns() - start_ns;
      NMT_CHECK(to[i].empty() || std::memcmp(to[i].data(), from[i].data(), to[i].size()) == 0);
    }
  }
  return *std::ranges::max_element(arrivals_ns_);
}

std::vector<DescribedRail> paper_rails() {
  return {{.name = "myri",
           .copy = {{1, 2800}, {32768, 40000}},
           .rendezvous = {{32768, 40000}, {2097152, 1730e3}, {2437000, 1999e3}}},
          {.name = "quadrics",
           .copy = {{1, 1700}, {32768, 50000}},
           .rendezvous = {
               {32768, 50000}, {1500000, 1699.538e3}, {1757000, 2001e3}, {2097152, 2400e3}}}};
}

DescribedRail straight_rail(const std::string& name, double latency_ns, double bytes_per_ns,
                            double rendezvous_ns) {
  const auto line = [&](double startup_ns, double from, double to) {
    return std::vector<Point>{{from, startup_ns + from / bytes_per_ns},
                              {to, startup_ns + to / bytes_per_ns}};
  };
  return {.name = name,
          .copy = line(latency_ns, 1, 32768),
          .rendezvous = line(rendezvous_ns, 1024, 16 << 20),
          .aggregate_below_bytes = 4096};
}

}  // namespace nmt::engine
