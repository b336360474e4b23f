// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rails/echo_couple.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace nmt::bench {
namespace {

constexpr std::uint64_t kTag = 1;
constexpr std::chrono::seconds kPatience{20};  // far longer than any message takes
constexpr std::chrono::hours kIdle{1};         // while other couples have their turns

// Ends the group where a message is lost. Returns its size.
std::uint64_t finish(engine::Engine& engine, engine::Engine::Request request,
                     std::chrono::nanoseconds timeout = kPatience) {
  const std::optional<engine::Completion> completion = engine.wait(request, timeout);
  if (completion && completion->outcome == engine::Outcome::kDone) return completion->size_bytes;
  std::fprintf(stderr, "rails: a message between the hosts of the lab is lost\n");
  std::exit(1);
}

engine::Engine::Request send(engine::Engine& engine, const std::vector<std::byte>& memory,
                             std::size_t size_bytes) {
  const drivers::ConstBytes message[] = {drivers::ConstBytes(memory).first(size_bytes)};
  return engine.isend(0, kTag, message);
}

engine::Engine::Request receive(engine::Engine& engine, std::vector<std::byte>& memory) {
  const drivers::Bytes room[] = {drivers::Bytes(memory)};
  return engine.irecv(0, kTag, room);
}

}  // namespace

EchoCouple::EchoCouple(const TwoHosts& hosts, const std::string& strategy,
                       const nmt_profile* profile, std::size_t size_bytes_max)
    : exchanges_(hosts.rails()),
      out_(size_bytes_max),
      in_(size_bytes_max),
      echoed_(size_bytes_max),
      near_(std::make_unique<engine::Engine>(
          engine::EngineOptions{.strategy = strategy, .profile = profile})) {
  far_ = std::thread([this, &hosts, strategy, profile] {
    engine::Engine far(engine::EngineOptions{.strategy = strategy, .profile = profile});
    far.add_gate("one", open_links(hosts, drivers::Side::kFar));
    echo(far);
    far_ended_ = true;
  });
  std::vector<engine::LinkDescription> links;
  // In a thread of its own, which stays in that host.
  std::thread([&] { links = open_links(hosts, drivers::Side::kNear); }).join();
  near_->add_gate("two", std::move(links));
}

EchoCouple::~EchoCouple() {
  finish(*near_, near_->isend(0, kTag, {}));  // an empty message ends the echo
  near_->flush(kPatience);
  while (!far_ended_) near_->progress();  // the far end waits for confirmations too
  far_.join();
}

std::vector<engine::LinkDescription> EchoCouple::open_links(const TwoHosts& hosts,
                                                            drivers::Side side) {
  const bool near = side == drivers::Side::kNear;
  hosts.enter(near ? "one" : "two");
  std::vector<engine::LinkDescription> links;
  for (const std::unique_ptr<drivers::Driver>& driver : drivers::make_drivers()) {
    if (driver->name() != "tcp") continue;
    for (const drivers::Port& port : driver->ports()) {
      drivers::ExchangePair& exchange = exchanges_.at(links.size());
      links.push_back({driver->open(port.rail, side, near ? exchange.near() : exchange.far()),
                       port.rail.full_name(), driver->methods(port.rail),
                       driver->variants(port.rail, Method::kRendezvous)});
    }
  }
  return links;
}

void EchoCouple::echo(engine::Engine& far) {
  for (;;) {
    const std::uint64_t size_bytes = finish(far, receive(far, echoed_), kIdle);
    if (size_bytes == 0) break;
    finish(far, send(far, echoed_, size_bytes));
  }
  far.flush(kPatience);
}

double EchoCouple::half_round_trip_ns(std::size_t size_bytes) {
  const std::uint64_t start_ns = clock_.now_ns();
  const engine::Engine::Request answer = receive(*near_, in_);
  const engine::Engine::Request message = send(*near_, out_, size_bytes);
  finish(*near_, answer);
  finish(*near_, message);
  return static_cast<double>(clock_.now_ns() - start_ns) / 2;
}

}  // namespace nmt::bench
