// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/call_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace nmt::collectives {
namespace {

// The logs of a group's ranks about one kind of call.
struct GroupCalls {
  GroupHead head;
  double calls = 0;  // of all ranks together
  CallSums sums;
  std::map<std::uint64_t, std::vector<SampledCall>> sampled;  // by number: one per rank
};

using GroupKey = std::tuple<std::uint64_t, std::int32_t, CallKind>;
using RowKey = std::tuple<CallKind, std::int32_t, std::int32_t, bool>;  // as in CallRow

// Sums over the groups of one shape.
struct ShapeCalls {
  double calls = 0;
  CallSums sums;
  double sampled_waiting_ns = 0;
  double sampled_took_ns = 0;
  std::uint64_t sampled = 0;
};

std::map<GroupKey, GroupCalls> gather(std::span<const std::vector<PackedKind>> of_ranks) {
  std::map<GroupKey, GroupCalls> groups;
  for (const std::vector<PackedKind>& rank : of_ranks) {
    for (const PackedKind& each : rank) {
      GroupCalls& group = groups[{each.group.name, each.group.members, each.kind}];
      group.head = each.group;
      group.calls += static_cast<double>(each.sums.calls);
      group.sums.size_bytes += each.sums.size_bytes;
      group.sums.took_ns += each.sums.took_ns;
      for (const SampledCall& call : each.sampled) group.sampled[call.number].push_back(call);
    }
  }
  return groups;
}

// When the data that the ranks wait for could begin to move.
std::int64_t ready_ns(Collective collective, std::span<const SampledCall> ranks,
                      std::int64_t root_entered_ns) {
  if (begins_at_root(collective)) return root_entered_ns;
  return std::ranges::max(ranks, {}, &SampledCall::entered_ns).entered_ns;
}

void add_sampled(const std::vector<SampledCall>& ranks, std::int64_t ready, ShapeCalls* shape) {
  ++shape->sampled;
  for (const SampledCall& call : ranks) {
    const std::int64_t waited = std::clamp<std::int64_t>(ready - call.entered_ns, 0, call.took_ns);
    shape->sampled_waiting_ns += static_cast<double>(waited);
    shape->sampled_took_ns += static_cast<double>(call.took_ns);
  }
}

// A rank cannot leave a barrier before the last rank has entered it. If it seems to, two clocks
// differ by that much.
double clocks_apart_ns(const std::vector<SampledCall>& ranks, std::int64_t ready) {
  const auto first = std::ranges::min(
      ranks, {}, [](const SampledCall& call) { return call.entered_ns + call.took_ns; });
  return static_cast<double>(std::max<std::int64_t>(0, ready - first.entered_ns - first.took_ns));
}

bool holds_all_ranks(const CallKind& kind) {
  return kind.collective == Collective::kBarrier ||
         (kind.collective == Collective::kAllreduce && kind.size_class > 0);
}

CallRow row_of(const RowKey& key, const ShapeCalls& shape, const JobShape& job,
               const Predict& predict) {
  const auto& [kind, nodes, ranks_per_node, is_equal] = key;
  CallRow row{.kind = kind, .nodes = nodes, .ranks_per_node = ranks_per_node, .is_equal = is_equal};
  const double rank_calls = std::max(shape.calls, 1.0);
  const auto took_ns = static_cast<double>(shape.sums.took_ns);
  row.sampled = shape.sampled;
  row.size_bytes =
      static_cast<std::uint64_t>(static_cast<double>(shape.sums.size_bytes) / rank_calls);
  if (!kind.blocks) return row;
  row.share = took_ns / (job.run_ns * job.ranks);
  row.call_ns = took_ns / rank_calls;
  if (shape.sampled_took_ns > 0) {
    row.waiting = row.share * shape.sampled_waiting_ns / shape.sampled_took_ns;
  }
  if (predict && nodes > 0 && is_equal && kind.size_class != kUnlikeSize) {
    row.predicted = predict(kind.collective, nodes, ranks_per_node, row.size_bytes);
  }
  return row;
}

}  // namespace

CallReport make_call_report(const JobShape& job, std::span<const std::vector<PackedKind>> of_ranks,
                            const Predict& predict) {
  CallReport report{.job = job};
  std::map<RowKey, ShapeCalls> shapes;
  std::map<RowKey, std::uint64_t> calls;
  for (const auto& [key, group] : gather(of_ranks)) {
    const CallKind& kind = std::get<CallKind>(key);
    const GroupHead& head = group.head;
    const bool is_equal = head.members == head.nodes * head.ranks_per_node;
    const RowKey row{kind, head.nodes, head.ranks_per_node, is_equal};
    ShapeCalls& shape = shapes[row];
    shape.calls += group.calls;
    shape.sums.size_bytes += group.sums.size_bytes;
    shape.sums.took_ns += group.sums.took_ns;
    calls[row] += static_cast<std::uint64_t>(std::llround(group.calls / group.head.members));
    for (const auto& [number, ranks] : group.sampled) {
      if (ranks.size() != static_cast<std::size_t>(group.head.members)) continue;
      const std::int64_t root = ranks.front().root;
      const auto at_root = std::ranges::find(ranks, root, &SampledCall::position);
      if (begins_at_root(kind.collective) && at_root == ranks.end()) continue;
      const std::int64_t ready =
          ready_ns(kind.collective, ranks, at_root == ranks.end() ? 0 : at_root->entered_ns);
      add_sampled(ranks, ready, &shape);
      if (holds_all_ranks(kind)) {
        report.clocks_apart_ns = std::max(report.clocks_apart_ns, clocks_apart_ns(ranks, ready));
      }
    }
  }
  for (const auto& [key, shape] : shapes) {
    report.rows.push_back(row_of(key, shape, job, predict));
    report.rows.back().calls = calls[key];
  }
  std::ranges::stable_sort(report.rows, std::greater{}, &CallRow::share);
  return report;
}

double gain_ns(const CallRow& row) {
  if (!row.predicted || !row.predicted->ours_ns) return 0;
  return static_cast<double>(row.calls) * (row.predicted->library_ns - *row.predicted->ours_ns);
}

CallTotals totals_of(const CallReport& report) {
  CallTotals totals;
  for (const CallRow& row : report.rows) {
    totals.share += row.share;
    if (row.waiting) totals.waiting += *row.waiting;
    if (row.waiting) totals.split += row.share;
    totals.gain_ns += gain_ns(row);
  }
  return totals;
}

}  // namespace nmt::collectives
