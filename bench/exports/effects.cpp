// SPDX-License-Identifier: BSD-3-Clause
//
// Every setting that is exported is seen to act: what it is about moves when it is forced
// elsewhere. For a limit that is the largest message that leaves before its receiver asks for it,
// between two hosts and within one; for weights, the rail that carries a large message; for rules
// and the priority of coll/han, the duration of a broadcast that is cut into tiny segments; for
// UCX_ZCOPY_THRESH, that of a message; for MPICH's tables, that of a broadcast. Of the last two
// only a difference counts: its direction depends on the machine.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>

#include "bench/exports/groups.h"
#include "bench/exports/launched.h"
#include "bench/row.h"
#include "bench/stage.h"
#include "core/error.h"
#include "core/statistics.h"
#include "sampler/sampler.h"
#include "tools/stack/stack.h"

namespace nmt::bench {
namespace {

constexpr std::uint64_t kForcedBytes = 1000;

std::string words_of(const stacks::Stack& stack, const Fields& settings) {
  std::string words;
  for (const auto& [name, value] : sampler::environment_of(stack, settings)) {
    words += fmt::format("'{}={}' ", name, value);
  }
  return words;
}

json::Value launched(const stacks::Stack& stack, const Fields& settings,
                     const std::string& launcher, const std::string& order) {
  return bench::launched(stack.name, words_of(stack, settings), launcher, order);
}

// By placement.
std::map<std::string, double> eager_bytes(const json::Value& round) {
  std::map<std::string, double> bytes;
  for (const json::Reader& each : json::Reader(round, "nmad-sample")["turn"]["eager"].items()) {
    bytes[each["placement"].text()] = each["bytes_max"].number();
  }
  return bytes;
}

void limits_of(const std::string& name, const std::string& mpi) {
  constexpr std::string_view kOrder = "sizes:1/eager:1/variables:";
  const Stage stage("rails 1000");
  const std::string launcher = stage.launcher(mpi, "--per-host 2");
  stacks::Stack stack = stacks::find_stack(name);
  const json::Value usual = launched(stack, {}, launcher, std::string(kOrder));
  stack = stacks::for_ucx_version(stack, json::Reader(usual, "nmad-sample")["ucx_version"].text());
  const std::map<std::string, double> before = eager_bytes(usual);
  for (const auto& [placement, transport] :
       {std::pair(sampler::kSameNode, stacks::Transport::kShm),
        std::pair(sampler::kOtherNode, stacks::Transport::kTcp)}) {
    const Fields forced = stack.eager_up_to(transport, kForcedBytes, 0);
    const auto after = eager_bytes(launched(stack, forced, launcher, std::string(kOrder)));
    const std::string where(placement);
    const std::string title = fmt::format("effect: {}, {}", name, placement);
    print_row("exports", title + ": eager by default up to", before.at(where), "B");
    const double most_bytes = std::min<double>(kForcedBytes, before.at(where) - 1);
    print_row("exports", fmt::format("{} under {}", title, stacks::to_variant(forced)),
              after.at(where), "B", Goal::kAtMost, most_bytes);
  }
}

// Of one message.
double message_ns(const stacks::Stack& stack, const Fields& settings, const std::string& launcher,
                  std::string_view placement, std::uint64_t size_bytes) {
  const json::Value round =
      launched(stack, settings, launcher, fmt::format("sizes:{}/eager:0/variables:", size_bytes));
  std::vector<double> all_ns;
  for (const json::Reader& cell : json::Reader(round, "nmad-sample")["turn"]["cells"].items()) {
    if (cell["placement"].text() != placement) continue;
    for (const json::Reader& total : cell["totals_ns"].items()) {
      all_ns.push_back(total.number() / cell["batch"].number());
    }
  }
  return median(all_ns);
}

// By their weights, each rail alone carries a large message.
void weights() {
  constexpr unsigned kFast = 1000, kSlow = 400;
  constexpr std::uint64_t kLargeBytes = std::uint64_t{16} << 20;
  const Stage stage(fmt::format("rails {} {}", kFast, kSlow));
  const std::string launcher = stage.launcher("openmpi", "");
  const stacks::Stack& stack = stacks::find_stack("openmpi");
  const auto alone_ns = [&](double fast, double slow) {
    const Fields settings = stacks::interface_weights({{"r0", fast}, {"r1", slow}});
    return message_ns(stack, settings, launcher, sampler::kOtherNode, kLargeBytes);
  };
  constexpr double kAll = 1e6, kNothing = 1;
  print_row("exports", "effect: btl_tcp_bandwidth, the slow rail's time over the fast one's",
            alone_ns(kNothing, kAll) / alone_ns(kAll, kNothing), "times", Goal::kAtLeast,
            0.9 * kFast / kSlow);
}

// Launches in turns, since one is faster than the other as a whole. nanoseconds(true) launches the
// first and returns its duration.
void print_difference(const std::string& name, const std::function<double(bool)>& nanoseconds) {
  constexpr std::uint32_t kTurns = 9;
  stacks::ByRound first, second;
  for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
    first[turn] = nanoseconds(true);
    second[turn] = nanoseconds(false);
  }
  const stacks::Ratio ratio = stacks::ratio_of(first, second);
  print(row_of("exports", name, ratio.value, "times")
            .set("low", ratio.low)
            .set("high", ratio.high)
            .set("goal", "not 1")
            .set("holds", ratio.faster() || ratio.slower()));
}

// Over TCP within a host, where no wire hides what copying costs.
void copies() {
  constexpr std::uint64_t kEagerBytes = std::uint64_t{256} << 10, kSizeBytes = kEagerBytes / 2;
  const Stage stage("rails 1000");
  const std::string launcher = stage.launcher("openmpi", "--per-host 2");
  stacks::Stack stack = stacks::find_stack("ucx");
  const json::Value usual = launched(stack, {}, launcher, "sizes:1/eager:0/variables:");
  stack = stacks::for_ucx_version(stack, json::Reader(usual, "nmad-sample")["ucx_version"].text());
  const auto under = [&](std::uint64_t copied_bytes) {
    Fields settings = stack.eager_up_to(stacks::Transport::kShm, kEagerBytes, 0);
    settings.merge(stack.copied_up_to(copied_bytes));
    settings["UCX_TLS"] = "tcp,self";
    return message_ns(stack, settings, launcher, sampler::kSameNode, kSizeBytes);
  };
  print_difference("effect: UCX_ZCOPY_THRESH, copied over in place, 128 KiB",
                   [&](bool copied) { return under(copied ? kEagerBytes : 0); });
}

double collective_ns(const std::string& operation, const stacks::Stack& stack,
                     const Fields& settings, const std::string& launcher) {
  return bench::collective_ns(operation, stack.name, words_of(stack, settings), launcher);
}

double broadcast_ns(const stacks::Stack& stack, const Fields& settings,
                    const std::string& launcher) {
  return collective_ns("bcast", stack, settings, launcher);
}

// Where coll/han is asked first, it hands the call on to coll/tuned, whose rule then acts.
void rules_through_han() {
  constexpr double kFactor = 4;
  const Stage stage("rails 1000");
  const std::string launcher = stage.launcher("openmpi", "--per-host 2");
  const stacks::Stack& stack = stacks::find_stack("openmpi");
  const std::string prefix = stage.folder().string() + "/";
  std::ofstream(prefix + std::string(stacks::kTunedRulesFile)) << stacks::write_tuned_rules(
      {{"bcast", {{1, {{0, 0, 0, 0}}}, {2, {{0, 3, 0, 64}}}}}}, "# forced\n");
  std::ofstream(prefix + std::string(stacks::kHanRulesFile)) << stacks::write_han_rules(
      {{"bcast", {{1, {{0, std::string(stacks::kTunedComponent)}}}}}}, "# forced\n");
  const Fields first = {{"coll_han_priority", "35"}};
  Fields rules = stacks::rules_settings("openmpi", prefix, true);
  rules.insert(first.begin(), first.end());
  const auto in_segments = [&](const std::string& operation) {
    Fields settings = first;
    settings[fmt::format("coll_han_{}_segsize", operation)] = "64";
    return settings;
  };
  const double han_ns = broadcast_ns(stack, first, launcher);
  print_row("exports", "effect: rules of coll/han hand a broadcast on to a rule of coll/tuned",
            broadcast_ns(stack, rules, launcher) / han_ns, "times", Goal::kAtLeast, kFactor);
  const Fields segment = in_segments("bcast");
  print_row("exports", "effect: the segment of coll/han",
            broadcast_ns(stack, segment, launcher) / han_ns, "times", Goal::kAtLeast, kFactor);
  for (const std::string operation : {"reduce", "allreduce"}) {
    print_row("exports", fmt::format("effect: the segment of coll/han, {}", operation),
              collective_ns(operation, stack, in_segments(operation), launcher) /
                  collective_ns(operation, stack, first, launcher),
              "times", Goal::kAtLeast, kFactor);
  }
  // As exported for 4.1, whose coll/han is not asked by default: the tiny segment is its own.
  Fields last = segment;
  last["coll_han_priority"] = "0";
  print_row("exports", "effect: the priority of coll/han",
            broadcast_ns(stack, segment, launcher) / broadcast_ns(stack, last, launcher), "times",
            Goal::kAtLeast, kFactor);
}

// MPICH reads which algorithm broadcasts from tables.
void tables_of_mpich() {
  const Stage stage("rails 1000");
  const std::string launcher = stage.launcher("mpich", "--per-host 2");
  const stacks::Stack& stack = stacks::find_stack("mpich");
  const json::Value usual = launched(stack, {}, launcher, "sizes:1/eager:0/variables:");
  const stacks::MpichTables tables =
      tools::read_mpich_tables(json::Reader(usual, "nmad-sample")["library_file"].text());
  const auto forced = [&](const std::string& algorithm) {
    const std::string prefix = stage.folder().string() + "/" + algorithm + "-";
    stacks::StackFindings findings{.stack = "mpich"};
    findings.tables = tables;
    findings.cells = {{.operation = "bcast",
                       .ranks = 4,
                       .size_bytes = 262144,
                       .algorithm = algorithm,
                       .gain = {},
                       .best_gain = 1,
                       .ranks_per_node = 2}};
    for (const stacks::ExportedFile& file : stacks::write_rules(findings)) {
      std::ofstream(prefix + file.name) << file.content;
    }
    return stacks::rules_settings("mpich", prefix);
  };
  const Fields tree = forced("binomial"), ring = forced("scatter_ring_allgather");
  print_difference(
      "effect: MPICH's tables, a broadcast by a binomial tree over one by a ring, 256 KiB",
      [&](bool by_tree) { return broadcast_ns(stack, by_tree ? tree : ring, launcher); });
}

}  // namespace

void effects() {
  limits_of("openmpi", "openmpi");
  limits_of("mpich", "mpich");
  limits_of("ucx", "openmpi");
  limits_of("libfabric", "openmpi");
  weights();
  copies();
  rules_through_han();
  tables_of_mpich();
}

}  // namespace nmt::bench
