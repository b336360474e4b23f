// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/predict_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/units.h"
#include "tools/command/report_thresholds.h"
#include "tools/tune/open_profile.h"

namespace nmt::tools {
namespace {

constexpr std::string_view kLibrary = "library";

std::string shapes_text(const std::vector<tuner::CollectiveCell>& cells) {
  std::vector<tuner::CollectiveShape> shapes;
  for (const tuner::CollectiveCell& cell : cells)
    shapes.push_back({cell.nodes, cell.ranks_per_node});
  std::ranges::sort(shapes);
  shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
  std::string text;
  for (const tuner::CollectiveShape& shape : shapes) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", shape.nodes, shape.ranks_per_node);
  }
  return text;
}

json::Value duration_of(const tuner::CollectiveTime* time) {
  return time == nullptr ? json::Value() : json::Value(time->median_ns);
}

// One row of every form for each cell.
class ChoicesOnShape {
 public:
  ChoicesOnShape() {
    report.records.header = {"operation",  "size_bytes", "algorithm",   "segment_bytes",
                             "leaders",    "ours_ns",    "ours_low_ns", "ours_high_ns",
                             "library_ns", "gain",       "gain_needed", "origin",
                             "mpi"};
  }

  void add(const tuner::CollectiveCell& cell, const std::vector<SegmentRule>& rules) {
    const tuner::CollectiveTime* chosen = tuner::chosen_time(rules, cell);
    const tuner::CollectiveTime* ours = fastest_time(cell, false);
    const tuner::CollectiveTime* library = fastest_time(cell, true);
    if (chosen == nullptr || ours == nullptr) return;
    const bool acts = chosen->algorithm != kLibrary;
    if (acts) ours = chosen;
    const bool predicted = cell.gain_error.has_value();
    const double low_ns = ours->median_ns / std::exp(ours->below);
    const double high_ns = ours->median_ns * std::exp(ours->above);
    const json::Value gain =
        library == nullptr ? json::Value() : json::Value(library->median_ns / ours->median_ns);
    const json::Value needed = predicted ? json::Value(std::exp(*cell.gain_error)) : json::Value();
    const std::string_view origin = predicted ? "predicted" : "sampled";
    replaced_ += acts ? 1 : 0;
    predicted_ += predicted ? 1 : 0;
    ++count_;
    table_.add({cell.operation, format_bytes(cell.size_bytes), chosen->algorithm,
                ours->segment_bytes == 0 ? "whole" : format_bytes(ours->segment_bytes),
                std::to_string(ours->leaders), format_duration(ours->median_ns),
                predicted
                    ? fmt::format("{} .. {}", format_duration(low_ns), format_duration(high_ns))
                    : "-",
                library == nullptr ? "-" : format_duration(library->median_ns),
                gain.is_null() ? "-" : fmt::format("{:.2f}", library->median_ns / ours->median_ns),
                predicted ? fmt::format("{:.2f}", std::exp(*cell.gain_error)) : "-",
                std::string(origin), cell.mpi});
    const json::Value low = predicted ? json::Value(low_ns) : json::Value();
    const json::Value high = predicted ? json::Value(high_ns) : json::Value();
    report.records.rows.push_back({cell.operation, cell.size_bytes, chosen->algorithm,
                                   ours->segment_bytes, ours->leaders, ours->median_ns, low, high,
                                   duration_of(library), gain, needed, origin, cell.mpi});
    list_.push_back(json::Value::object()
                        .set("operation", cell.operation)
                        .set("size_bytes", cell.size_bytes)
                        .set("algorithm", chosen->algorithm)
                        .set("segment_bytes", ours->segment_bytes)
                        .set("leaders", ours->leaders)
                        .set("ours_ns", ours->median_ns)
                        .set("ours_low_ns", low)
                        .set("ours_high_ns", high)
                        .set("library_ns", duration_of(library))
                        .set("gain", gain)
                        .set("gain_needed", needed)
                        .set("origin", origin)
                        .set("mpi", cell.mpi));
  }

  Report finished(const tuner::CollectiveShape& shape, const Platform& platform) {
    report.text.heading(fmt::format("{}: collectives on {} x {} ranks", platform.name, shape.nodes,
                                    shape.ranks_per_node));
    report.text.table(std::move(table_));
    report.payload.set("platform", platform_json(platform))
        .set("nodes", shape.nodes)
        .set("ranks_per_node", shape.ranks_per_node)
        .set("choices", std::move(list_));
    report.summary = {{"choices", std::to_string(count_)},
                      {"replaced", std::to_string(replaced_)},
                      {"predicted", std::to_string(predicted_)}};
    return std::move(report);
  }

  bool empty() const { return count_ == 0; }

  Report report;

 private:
  Table table_{{"operation", ">size", "choice", ">segment", ">leaders", ">ours", "95 % interval",
                ">library", ">library / ours", ">needed", "origin", "under"}};
  json::Value list_ = json::Value::array();
  int count_ = 0;
  int replaced_ = 0;
  int predicted_ = 0;
};

}  // namespace

std::vector<CollectivesOnShape> collectives_on(const tuner::CollectiveShape& shape,
                                               const Plan& plan,
                                               const std::vector<tuner::CollectiveCell>& cells) {
  std::vector<CollectivesOnShape> all;
  for (const tuner::CollectiveModel& model : tuner::collective_models(cells)) {
    CollectivesOnShape here;
    for (const tuner::CollectiveCell& cell : cells) {
      const bool same = cell.mpi == model.mpi() && cell.operation == model.operation() &&
                        cell.nodes == shape.nodes && cell.ranks_per_node == shape.ranks_per_node;
      const bool of_model = std::ranges::find(model.shapes(), shape) != model.shapes().end();
      if (same && of_model) here.cells.push_back(cell);
    }
    if (here.cells.empty()) {
      here.cells = model.predict(shape);
      here.rules = tuner::derive_segments(here.cells);
    } else {
      here.rules = plan.segments;
    }
    if (!here.cells.empty()) all.push_back(std::move(here));
  }
  return all;
}

const tuner::CollectiveTime* fastest_time(const tuner::CollectiveCell& cell, bool library) {
  const auto found = std::ranges::find_if(cell.times, [&](const tuner::CollectiveTime& time) {
    return (time.algorithm == kLibrary) == library;
  });
  return found == cell.times.end() ? nullptr : &*found;
}

Report predict_collectives(const tuner::CollectiveShape& shape, const ProfileOptions& options,
                           const Invocation& invocation) {
  const OpenProfile profile = open_to_read(options, invocation);
  const Plan plan = read_plan(profile, invocation);
  const std::vector<tuner::CollectiveCell> cells =
      tuner::collective_cells(profile.db.sample_sets_in_force(profile.platform.id));
  if (cells.empty()) {
    throw Error(Fault::kFailed,
                "the profile has no collectives; measure them with mpirun ... nmad-sample --parts "
                "collectives");
  }
  ChoicesOnShape all;
  for (const CollectivesOnShape& here : collectives_on(shape, plan, cells)) {
    for (const tuner::CollectiveCell& cell : here.cells) all.add(cell, here.rules);
  }
  if (all.empty()) {
    throw Error(Fault::kFailed,
                fmt::format("{} nodes of {} ranks: nothing can be predicted from {} (nodes x ranks "
                            "per node), so the MPI's own collectives are used; sample at least "
                            "three shapes with different numbers of nodes and of ranks per node",
                            shape.nodes, shape.ranks_per_node, shapes_text(cells)));
  }
  return all.finished(shape, profile.platform);
}

}  // namespace nmt::tools
