// SPDX-License-Identifier: BSD-3-Clause
//
// Decisions in chains: each question depends on the answer before, so that the processor can not
// work on several at once, as it can not where a decision stands between two messages.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>

#include "bench/runtime/asked.h"
#include "bench/runtime/peers.h"
#include "runtime/runtime.h"
#include "tests/runtime/planted.h"

namespace nmt::bench {
namespace {

// decide(size) -> 64 bits of answer.
template <class Decide>
void chain(::benchmark::State& state, Decide decide) {
  const std::vector<std::uint64_t>& sizes = random_sizes();
  std::uint64_t none = 0;  // of the bits of an answer; the compiler does not know
  ::benchmark::DoNotOptimize(none);
  std::uint64_t answer = 0;
  std::size_t i = 0;
  for (auto _ : state) {
    answer = decide(sizes[i] + (answer & none));
    i = (i + 1) % kQuestions;
  }
  ::benchmark::DoNotOptimize(answer);
}

std::uint64_t bits(double answer) { return std::bit_cast<std::uint64_t>(answer); }
std::uint64_t bits(int answer) { return static_cast<std::uint32_t>(answer); }

void empty(::benchmark::State& state) {
  chain(state, [](std::uint64_t size) { return size; });
}
BENCHMARK(empty)->Name("chain");

void method_for(::benchmark::State& state) {
  const nmt_profile* asked = profile();
  chain(state, [&](std::uint64_t size) { return bits(nmt_method_for(asked, 0, size)); });
}
BENCHMARK(method_for)->Name("method");

void inlined(::benchmark::State& state) {
  nmt_fast_line line = NMT_FAST_LINE;
  nmt_fast_path(profile(), 0, &line);
  ::benchmark::DoNotOptimize(line);
  chain(state, [&](std::uint64_t size) { return bits(nmt_fast_method(&line, size)); });
}
BENCHMARK(inlined)->Name("method inline");

// The least that there is to choose from.
RailPlan rail_of_three_ranges() {
  RailPlan rail = asked_plan().rails[0];
  rail.thresholds = {planted::threshold(DecisionKind::kIovec, {1024}),
                     planted::threshold(DecisionKind::kRendezvous, {32768})};
  return rail;
}

void inlined_short(::benchmark::State& state) {
  static const planted::Profile asked(planted::plan({rail_of_three_ranges()}));
  nmt_fast_line line = NMT_FAST_LINE;
  nmt_fast_path(asked.get(), 0, &line);
  ::benchmark::DoNotOptimize(line);
  chain(state, [&](std::uint64_t size) { return bits(nmt_fast_method(&line, size)); });
}
BENCHMARK(inlined_short)->Name("method inline of three ranges");

void duration(::benchmark::State& state) {
  const nmt_profile* asked = profile();
  chain(state, [&](std::uint64_t size) { return bits(nmt_duration_ns(asked, 0, size)); });
}
BENCHMARK(duration)->Name("duration");

// The other packet is of any size too.
void aggregate(::benchmark::State& state) {
  const nmt_profile* asked = profile();
  const std::vector<std::uint64_t>& sizes = random_sizes();
  std::size_t i = kQuestions / 2;
  chain(state, [&](std::uint64_t size) {
    i = (i + 1) % kQuestions;
    return bits(nmt_aggregate(asked, 0, size, sizes[i]));
  });
}
BENCHMARK(aggregate)->Name("aggregate");

void split_idle(::benchmark::State& state) {
  const nmt_profile* asked = profile();
  nmt_share shares[2] = {};
  for (int i = 0; i < 2; ++i) {
    shares[i].struct_bytes = sizeof(nmt_share);
    shares[i].path = i;
  }
  nmt_split_result result{};
  result.struct_bytes = sizeof result;
  chain(state, [&](std::uint64_t size) {
    nmt_split(asked, size, shares, 2, &result);
    return shares[0].bytes;
  });
}
BENCHMARK(split_idle)->Name("split");

// -- Collectives ----------------------------------------------------------------------------------

constexpr std::uint32_t kNodesAsked = 200, kRanksPerNodeAsked = 16;

// Predicted rules as many sampled shapes lead to: for each operation, `ranges` ranges of nodes by
// five of ranks per node, by two of sizes; with 0, one rule per operation for all of these shapes.
Plan predicted_plan(std::int64_t ranges) {
  Plan plan = planted::plan({});
  for (const char* operation :
       {"bcast", "reduce", "allreduce", "allgather", "alltoall", "alltoallv", "barrier", "gather",
        "scatter", "reduce_scatter_block", "reduce_scatter", "allgatherv"}) {
    SegmentRule rule{.operation = operation,
                     .nodes = 1,
                     .ranks_per_node = 1,
                     .to_bytes = std::nullopt,
                     .algorithm = "chain",
                     .mpi = "some",
                     .nodes_max = kNodesAsked,
                     .ranks_per_node_max = kRanksPerNodeAsked};
    if (ranges == 0) plan.segments.push_back(rule);
    const std::int64_t nodes = ranges == 0 ? 0 : kNodesAsked / ranges;
    for (std::int64_t i = 0; i < ranges; ++i) {
      rule.nodes = 1 + i * nodes;
      rule.nodes_max = (i + 1) * nodes;
      for (rule.ranks_per_node = 1; rule.ranks_per_node <= kRanksPerNodeAsked;
           rule.ranks_per_node *= 2) {
        rule.ranks_per_node_max =
            std::min<std::int64_t>(2 * rule.ranks_per_node - 1, kRanksPerNodeAsked);
        rule.from_bytes = 0;
        rule.to_bytes = 16384;
        plan.segments.push_back(rule);
        rule.from_bytes = 65536;
        rule.to_bytes = std::nullopt;
        plan.segments.push_back(rule);
      }
    }
  }
  return plan;
}

// As at the first call of a communicator: each time of another shape, of the operation whose rules
// come last.
void collective_rule(::benchmark::State& state) {
  const std::unique_ptr<nmt_profile, void (*)(nmt_profile*)> asked(
      runtime::open_plan(predicted_plan(state.range(0))), nmt_close);
  nmt_collective_call call{};
  call.struct_bytes = sizeof call;
  call.mpi = "some";
  call.operation = "allgatherv";
  nmt_collective_rule rule{};
  rule.struct_bytes = sizeof rule;
  chain(state, [&](std::uint64_t size) {
    call.nodes = 1 + static_cast<std::uint32_t>(size % kNodesAsked);
    call.ranks_per_node = 1 + static_cast<std::uint32_t>(size / 256 % kRanksPerNodeAsked);
    call.size_bytes = size;
    return bits(nmt_collective_rule_for(asked.get(), &call, &rule));
  });
}
// 12 and 3000 rules.
BENCHMARK(collective_rule)->Name("collective rule")->Arg(0)->Arg(25);

// -- Others ---------------------------------------------------------------------------------------

void ucx_shaped(::benchmark::State& state, std::vector<runtime::MethodRange> ranges) {
  const UcxShaped ucx(ranges);
  std::uint64_t key = 1;
  ::benchmark::DoNotOptimize(key);
  chain(state, [&](std::uint64_t size) { return bits(ucx.method_for(key, size)); });
}

void ucx(::benchmark::State& state) {
  ucx_shaped(state, runtime::method_ranges(asked_plan().rails[0]));
}
BENCHMARK(ucx)->Name("ucx");

void ucx_short(::benchmark::State& state) {
  ucx_shaped(state, runtime::method_ranges(rail_of_three_ranges()));
}
BENCHMARK(ucx_short)->Name("ucx of three ranges");

void nccl(::benchmark::State& state) {
  const Plan plan = asked_plan();
  std::vector<Curve> curves;
  for (const Method method : kMethods)
    curves.push_back(runtime::transfer_curve(plan.rails[0], method));
  const NcclShaped nccl(curves);
  chain(state, [&](std::uint64_t size) { return bits(nccl.cell_for(size)); });
}
BENCHMARK(nccl)->Name("nccl");

void sql(::benchmark::State& state) {
  const Plan plan = asked_plan();
  const SqlLookup sql(plan.rails);
  chain(state, [&](std::uint64_t size) { return bits(sql.method_for(0, size)); });
}
BENCHMARK(sql)->Name("sql");

}  // namespace
}  // namespace nmt::bench
