// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/bench_ends.h"

#include <sys/resource.h>

#include "core/error.h"

namespace nmt::tools::bench {
namespace {

constexpr std::chrono::seconds kOpenTimeout{10};
constexpr std::chrono::seconds kOrderTimeout{60};
constexpr std::chrono::seconds kPlayedTimeout{20};           // the near end has finished by then
constexpr std::chrono::milliseconds kLastWordTimeout{1000};  // for a message of an end that fails

std::string expect(control::Message message, Kind kind) {
  if (message.kind == kFailure) {
    throw Error(Fault::kPeer, "the peer reports: " + json::printable(message.text, 500));
  }
  if (message.kind != kind) {
    throw Error(Fault::kPeer,
                "unexpected message from the peer; run the same version of nmadtune on both nodes");
  }
  return std::move(message.text);
}

class ConnectionExchange final : public drivers::Exchange {
 public:
  explicit ConnectionExchange(control::Connection& peer) : peer_(peer) {}
  std::string swap(std::string_view mine) override {
    peer_.send(kExchange, mine);
    return expect(peer_.receive(kOpenTimeout), kExchange);
  }

 private:
  control::Connection& peer_;
};

std::string strategy_of(const Contender& contender, const std::vector<RailInUse>& rails) {
  if (!contender.only) return contender.strategy;
  return contender.strategy + ":" + rails[*contender.only].rail.full_name();
}

double processor_ns() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ns = [](const timeval& time) {
    return 1e9 * static_cast<double>(time.tv_sec) + 1e3 * static_cast<double>(time.tv_usec);
  };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

// Totals so far.
ResourceUsage usage_of(const engine::Engine& engine) {
  return {.processor_ns = processor_ns(), .links = engine.links(0), .gate = engine.state(0)};
}

// Throws the far end's error if it sent one, else `error`.
[[noreturn]] void tell_failure(control::Connection& peer, const Error& error) {
  if (peer.has_message(kLastWordTimeout)) expect(peer.receive(kLastWordTimeout), kPlayed);
  throw error;
}

}  // namespace

BenchEnd::BenchEnd(const Setup& setup, drivers::Side side, control::Connection& peer)
    : runner_(setup.config.size_bytes_max, setup.config.at_once_max) {
  ConnectionExchange exchange(peer);
  for (const Contender& contender : setup.config.contenders) {
    engines_.push_back(std::make_unique<engine::Engine>(
        engine::EngineOptions{.strategy = strategy_of(contender, setup.rails),
                              .profile = setup.config.no_profile ? nullptr : setup.profile,
                              .report = setup.report}));
    std::vector<engine::LinkDescription> links;
    for (const RailInUse& rail : setup.rails) {
      links.push_back({rail.driver->open(rail.rail, side, exchange), rail.rail.full_name(),
                       rail.driver->methods(rail.rail),
                       rail.driver->variants(rail.rail, Method::kRendezvous)});
    }
    engines_.back()->add_gate(setup.peer, std::move(links));
  }
}

double BenchEnd::run(drivers::Side side, const BenchCell& cell, ResourceUsage& usage) {
  engine::Engine& engine = *engines_[cell.contender];
  const ResourceUsage before = usage_of(engine);
  double elapsed_ns = 0;
  if (side == drivers::Side::kNear) {
    elapsed_ns = runner_.run_near(engine, cell);
  } else {
    runner_.run_far(engine, cell);
  }
  usage = usage_of(engine) - before;
  return elapsed_ns;
}

NearEnd::NearEnd(const Setup& setup, control::Connection& peer)
    : peer_(peer), rails_(setup.rails.size()), end_(setup, drivers::Side::kNear, peer) {}

NearEnd::~NearEnd() {
  try {
    peer_.send(kEnd, "");
  } catch (const Error&) {  // the peer is gone, so it cannot be notified
  }
}

CellResult NearEnd::run(const BenchCell& cell) {
  CellResult result;
  try {
    peer_.send(kPlay, to_json(cell).dump(-1));
    result.elapsed_ns = end_.run(drivers::Side::kNear, cell, result.usage);
  } catch (const Error& error) {
    tell_failure(peer_, error);
  }
  result.usage += usage_from(expect(peer_.receive(kPlayedTimeout), kPlayed), rails_);
  return result;
}

std::uint64_t serve_cells(const Setup& setup, control::Connection& peer) {
  try {
    BenchEnd end(setup, drivers::Side::kFar, peer);
    for (std::uint64_t cells = 0;; ++cells) {
      control::Message message = peer.receive(kOrderTimeout);
      if (message.kind == kEnd) return cells;
      const BenchCell cell = cell_from(expect(std::move(message), kPlay), setup.config);
      ResourceUsage usage;
      end.run(drivers::Side::kFar, cell, usage);
      peer.send(kPlayed, to_json(usage).dump(-1));
    }
  } catch (const Error& error) {
    try {
      peer.send(kFailure, error.what());
    } catch (const Error&) {  // the peer is gone, so it cannot be notified
    }
    throw;
  }
}

}  // namespace nmt::tools::bench
