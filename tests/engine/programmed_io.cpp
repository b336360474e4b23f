// SPDX-License-Identifier: BSD-3-Clause
#include "tests/engine/programmed_io.h"

#include <numeric>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/method.h"
#include "drivers/drivers.h"
#include "tests/drivers/pair.h"
#include "tests/engine/traffic.h"
#include "tests/runtime/planted.h"

namespace nmt::engine {
namespace {

constexpr std::uint64_t kTag = 1;
constexpr std::uint64_t kEagerBytesMax = 65536;  // as in EngineOptions

class ProgrammedIoEndpoint final : public drivers::Endpoint {
 public:
  ProgrammedIoEndpoint(std::unique_ptr<drivers::Endpoint> real, ProgrammedIoRail rail,
                       Occupy occupy)
      : real_(std::move(real)), rail_(std::move(rail)), occupy_(std::move(occupy)) {}

  void send(Method method, std::span<const drivers::Packet> packets) override {
    std::size_t size_bytes = 0;
    for (const drivers::Packet& packet : packets) size_bytes += packet.body.size();
    if (size_bytes > 0) occupy_(rail_.submission_ns(size_bytes));
    real_->send(method, packets);
  }

  void receive(drivers::Bytes headers, drivers::Bytes bodies, drivers::Delivery delivery) override {
    real_->receive(headers, bodies, delivery);
  }
  void listen(drivers::Bytes headers) override { real_->listen(headers); }
  void accept(std::span<const drivers::Bytes> bodies) override { real_->accept(bodies); }
  Progress poll() override { return real_->poll(); }
  void copy(drivers::Bytes to, drivers::ConstBytes from) override { real_->copy(to, from); }
  std::size_t size_bytes_max(Method method) const override { return real_->size_bytes_max(method); }

 private:
  std::unique_ptr<drivers::Endpoint> real_;
  ProgrammedIoRail rail_;
  Occupy occupy_;
};

}  // namespace

std::vector<ProgrammedIoRail> published_rails(double times_as_slow) {
  return {{"myri", 2800 * times_as_slow, times_as_slow / 1.170},
          {"quadrics", 1700 * times_as_slow, times_as_slow / 0.837}};
}

Plan plan_of(const std::vector<ProgrammedIoRail>& rails, std::vector<OffloadCost> handing_over) {
  std::vector<RailPlan> plans;
  for (const ProgrammedIoRail& rail : rails) {
    const std::vector<Point> line = {{0, rail.submission_ns(0)},
                                     {kEagerBytesMax, rail.submission_ns(kEagerBytesMax)}};
    plans.push_back(
        planted::rail(rail.name,
                      {planted::curve(benchmark::kTransfer, "copy", line),
                       planted::curve(benchmark::kTransfer, "rendezvous", line)},
                      {planted::threshold(DecisionKind::kRendezvous, {kEagerBytesMax})}));
  }
  Plan plan = planted::plan(std::move(plans));
  plan.offloads = std::move(handing_over);
  return plan;
}

// The near engine first: its helpers choose their cores by the core of this thread at that time.
ProgrammedIoCouple::ProgrammedIoCouple(const std::vector<ProgrammedIoRail>& rails,
                                       const EngineOptions& options, const Occupy& occupy)
    : clock_(*options.clock), near_(std::make_unique<Engine>(options)) {
  EngineOptions receiving = options;
  receiving.strategy = "aggregate";  // which has no helpers that would take the core of ours
  far_ = std::make_unique<Engine>(receiving);
  std::vector<LinkDescription> sides[2];
  for (const ProgrammedIoRail& rail : rails) {
    drivers::Pair pair = drivers::open_pair("shm");
    NMT_CHECK(pair.near && pair.far);
    const std::vector<Method> methods = pair.methods();
    auto near = std::make_unique<ProgrammedIoEndpoint>(std::move(pair.near), rail, occupy);
    sides[0].push_back({std::move(near), rail.name, methods});
    sides[1].push_back({std::move(pair.far), rail.name, methods});
  }
  near_->add_gate("far", std::move(sides[0]));
  far_->add_gate("near", std::move(sides[1]));
}

double ProgrammedIoCouple::transfer_ns(const std::vector<std::size_t>& segments_bytes) {
  message_.resize(std::reduce(segments_bytes.begin(), segments_bytes.end()));
  fill(message_, message_.size());
  room_.assign(message_.size(), std::byte{0});
  std::vector<drivers::ConstBytes> segments;
  std::size_t at_bytes = 0;
  for (const std::size_t segment_bytes : segments_bytes) {
    segments.push_back(drivers::ConstBytes(message_).subspan(at_bytes, segment_bytes));
    at_bytes += segment_bytes;
  }
  const drivers::Bytes room[] = {room_};
  const Engine::Request receive = far_->irecv(0, kTag, room);
  const std::uint64_t start_ns = clock_.now_ns();
  const Engine::Request send = near_->isend(0, kTag, segments);
  std::optional<std::uint64_t> came_ns;
  bool sent = false;
  const bool in_time = turn_until(*near_, *far_, [&] {
    if (!came_ns && far_->test(receive)) came_ns = clock_.now_ns();
    sent = sent || near_->test(send);
    return came_ns && sent;
  });
  NMT_CHECK(in_time && room_ == message_);
  return static_cast<double>(*came_ns - start_ns);
}

}  // namespace nmt::engine
