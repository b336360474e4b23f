// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/report_guidelines.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"

namespace nmt::tools {
namespace {

using tuner::BrokenGuideline;
using tuner::Guideline;
using tuner::TimedCollectives;

std::string shape_of(const TimedCollectives& each) {
  return fmt::format("{}x{}", each.nodes, each.ranks_per_node);
}

// What is faster, and how it differs: "reduce + bcast", "bcast of 8 KiB", "bcast on 4x2".
std::string name_of_faster(const BrokenGuideline& broken) {
  std::string name = broken.faster.operations;
  if (broken.faster.size_bytes != broken.own.size_bytes) {
    name += " of " + format_bytes(broken.faster.size_bytes);
  }
  if (broken.guideline == Guideline::kRanks) name += " on " + shape_of(broken.faster);
  return name;
}

json::Value to_json(const BrokenGuideline& broken) {
  return json::Value::object()
      .set("mpi", broken.mpi)
      .set("guideline", to_string(broken.guideline))
      .set("operation", broken.own.operations)
      .set("nodes", broken.own.nodes)
      .set("ranks_per_node", broken.own.ranks_per_node)
      .set("size_bytes", broken.own.size_bytes)
      .set("own_ns", broken.own.ns)
      .set("faster", broken.faster.operations)
      .set("faster_nodes", broken.faster.nodes)
      .set("faster_ranks_per_node", broken.faster.ranks_per_node)
      .set("faster_size_bytes", broken.faster.size_bytes)
      .set("faster_ns", broken.faster.ns)
      .set("ratio", broken.ratio());
}

}  // namespace

json::Value guidelines_json(const tuner::GuidelineFindings& findings) {
  json::Value list = json::Value::array();
  for (const BrokenGuideline& each : findings.broken) list.push_back(to_json(each));
  return list;
}

void add_guidelines(const tuner::GuidelineFindings& findings, Report* report) {
  report->records.header = {"mpi",
                            "guideline",
                            "operation",
                            "nodes",
                            "ranks_per_node",
                            "size_bytes",
                            "own_ns",
                            "faster",
                            "faster_nodes",
                            "faster_ranks_per_node",
                            "faster_size_bytes",
                            "faster_ns"};
  Table table(
      {"operation", "on", ">size", ">takes", "slower than", ">which takes", ">ratio", "under"});
  for (const BrokenGuideline& each : findings.broken) {
    const auto& [guideline, mpi, own, faster] = each;
    table.add({own.operations, shape_of(own), format_bytes(own.size_bytes), format_duration(own.ns),
               name_of_faster(each), format_duration(faster.ns),
               fmt::format("{:.2f}", each.ratio()), mpi});
    report->records.rows.push_back({mpi, to_string(guideline), own.operations, own.nodes,
                                    own.ranks_per_node, own.size_bytes, own.ns, faster.operations,
                                    faster.nodes, faster.ranks_per_node, faster.size_bytes,
                                    faster.ns});
  }
  report->payload.set("broken_guidelines", guidelines_json(findings));
  if (findings.broken.empty()) {
    report->text.line(fmt::format(
        "No guideline is broken by the MPI's own collectives, of which {} durations are known",
        findings.cells));
    return;
  }
  report->text.heading("The MPI's own collectives that are slower than they need be");
  report->text.table(std::move(table));
}

std::string worst_guideline(const tuner::GuidelineFindings& findings) {
  if (findings.broken.empty()) return "";
  const BrokenGuideline& worst =
      *std::ranges::max_element(findings.broken, {}, &BrokenGuideline::ratio);
  const std::size_t count = findings.broken.size();
  return fmt::format(
      "{}'s own collectives are slower than they need be in {} {}; worst: {} of {} on {} takes "
      "{:.1f} times as long as {}. nmad-tune check --guidelines lists all.",
      worst.mpi, count, count == 1 ? "case" : "cases", worst.own.operations,
      format_bytes(worst.own.size_bytes), shape_of(worst.own), worst.ratio(),
      name_of_faster(worst));
}

}  // namespace nmt::tools
