// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "core/error.h"
#include "core/units.h"
#include "tools/bench/bench_ends.h"
#include "tools/bench/bench_report.h"
#include "tools/bench/profile.h"
#include "tools/bench/request.h"
#include "tools/peer/rail_negotiation.h"

namespace nmt::tools {
namespace {

// Untimed runs of a contender in a cell: engines learn from what they send.
constexpr std::size_t kWarmUps = 5;

// Runs one cell with each contender, round after round.
Measured measure(bench::NearEnd& end, BenchCell cell, const BenchRequest& request,
                 double repetition_ns, std::mt19937_64& random) {
  const std::size_t contenders = request.strategies.size();
  Measured measured{.cell = cell, .contenders = std::vector<MeasuredContender>(contenders)};
  std::vector<std::uint32_t> counts(contenders, 1);
  std::vector<std::uint32_t> order(contenders);
  const auto play = [&](std::uint32_t contender) {
    cell.contender = contender;
    cell.count = counts[contender];
    return end.run(cell);
  };
  for (std::uint32_t i = 0; i < contenders; ++i) {  // warms up, and finds how many operations fit
    order[i] = i;
    double elapsed_ns = play(i).elapsed_ns;
    while (elapsed_ns < repetition_ns && counts[i] < bench::kCountMax) {
      const double factor = std::min(10.0, 1.2 * repetition_ns / elapsed_ns);
      counts[i] = std::min(bench::kCountMax, static_cast<std::uint32_t>(counts[i] * factor) + 1);
      elapsed_ns = play(i).elapsed_ns;
    }
  }
  for (std::size_t i = 0; i < kWarmUps * contenders; ++i) {
    play(static_cast<std::uint32_t>(i % contenders));
  }
  for (std::uint32_t round = 0; round < request.rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::uint32_t contender : order) {
      const bench::CellResult played = play(contender);
      MeasuredContender& to = measured.contenders[contender];
      to.durations_ns.push_back(played.elapsed_ns / cell.operations());
      to.operations += cell.operations();
      to.usage += played.usage;
    }
  }
  return measured;
}

Report measure_all(const BenchRequest& request, const bench::Setup& setup,
                   control::Connection& peer, double repetition_ns) {
  BenchReport report(request, setup);
  bench::NearEnd end(setup, peer);
  std::mt19937_64 random(std::random_device{}());
  for (const BenchCell& cell : request.cells) {
    report.add(measure(end, cell, request, repetition_ns, random));
  }
  return report.take();
}

Report bench_this_node(const BenchOptions& options, const Invocation& invocation) {
  const BenchRequest request = request_of(options);
  const std::vector<std::unique_ptr<drivers::Driver>> drivers = drivers::make_drivers();
  const OpenedProfile profile = open_profile(options.profile, invocation);
  bench::Setup setup{.rails = choose_rails_in_use(options.rails, drivers),
                     .profile = profile.get(),
                     .peer = "the other process",
                     .report = [&](const std::string& text) { invocation.notice(text); }};
  setup.config = config_of(request, setup.rails, options.profile.none);
  bench::ForkedFarEnd far(setup);
  return measure_all(request, setup, far.connection(), options.repetition_ns);
}

std::vector<bench::RailInUse> rails_of(const RailNegotiation& negotiation) {
  std::vector<bench::RailInUse> rails;
  for (const SharedRail& each : negotiation.rails) rails.push_back({each.driver, each.rail});
  return rails;
}

Report bench_with_peer(const BenchOptions& options, const Invocation& invocation) {
  const BenchRequest request = request_of(options);
  const OpenedProfile profile = open_profile(options.profile, invocation);
  ReachedPeer peer(options.peer, invocation.tool);
  const RailNegotiation negotiation =
      negotiate_as_near(peer.connection(), invocation.tool, options.rails);
  bench::Setup setup{.rails = rails_of(negotiation),
                     .profile = profile.get(),
                     .peer = negotiation.node.host,
                     .report = [&](const std::string& text) { invocation.notice(text); }};
  setup.config = config_of(request, setup.rails, options.profile.none);
  send_config(peer.connection(), to_json(setup.config));
  Report report = measure_all(request, setup, peer.connection(), options.repetition_ns);
  peer.leave();
  return report;
}

Report serve(const BenchOptions& options, const Invocation& invocation) {
  const OpenedProfile profile = open_profile(options.profile, invocation);
  std::optional<control::Connection> peer = await_peer(options.peer, invocation);
  const RailNegotiation negotiation = negotiate_as_far(*peer, invocation.tool);
  bench::Setup setup{.rails = rails_of(negotiation),
                     .profile = profile.get(),
                     .peer = negotiation.node.host,
                     .report = [&](const std::string& text) { invocation.notice(text); }};
  setup.config = bench::measurement_config_from(receive_config(*peer), setup.rails.size());
  const std::uint64_t cells = bench::serve_cells(setup, *peer);
  Report report;
  report.payload.set("peer", negotiation.node.host).set("repetitions", cells);
  report.text.heading(
      fmt::format("Served {} repetitions of a benchmark by {}", cells, negotiation.node.host));
  report.summary = {{"repetitions", std::to_string(cells)}};
  return report;
}

}  // namespace

Report run_benchmark(const BenchOptions& options, const Invocation& invocation) {
  check(options.peer);
  if (options.peer.serve) return serve(options, invocation);
  if (!options.peer.peer.empty()) return bench_with_peer(options, invocation);
  return bench_this_node(options, invocation);
}

}  // namespace nmt::tools
