// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tune/predict_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/collective_sample.h"
#include "core/error.h"
#include "core/units.h"
#include "tools/command/report_thresholds.h"
#include "tools/tune/open_profile.h"

namespace nmt::tools {
namespace {

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

// The rules of the model's operation and MPI that a program follows on this shape.
std::vector<SegmentRule> rules_on(const tuner::CollectiveShape& shape, const Plan& plan,
                                  const tuner::CollectiveModel& model) {
  std::vector<SegmentRule> rules;
  for (SegmentRule rule : plan.segments) {
    if (rule.mpi != model.mpi() || rule.operation != model.operation()) continue;
    if (!rule.applies_to(shape.nodes, shape.ranks_per_node)) continue;
    rule.nodes = shape.nodes;
    rule.ranks_per_node = shape.ranks_per_node;
    rules.push_back(std::move(rule));
  }
  return rules;
}

// Of predicted ones.
bool may_have_rules(const tuner::CollectiveShape& shape) {
  return shape.nodes <= tuner::kPredictedNodesMax &&
         shape.ranks_per_node <= tuner::kPredictedRanksPerNodeMax;
}

// A duration in every form, with its 95 % interval; null or "-" where there is none. Of fewer than
// six repetitions, the interval reaches from the shortest to the longest.
struct ShownTime {
  explicit ShownTime(const tuner::CollectiveTime* time) {
    if (time == nullptr) return;
    const double low = time->median_ns / std::exp(time->below);
    const double high = time->median_ns * std::exp(time->above);
    ns = time->median_ns;
    low_ns = low;
    high_ns = high;
    text = format_duration(time->median_ns);
    interval = fmt::format("{} .. {}", format_duration(low), format_duration(high));
  }

  json::Value ns, low_ns, high_ns;
  std::string text = "-";
  std::string interval = "-";
};

// One row of every form for each cell.
class ChoicesOnShape {
 public:
  ChoicesOnShape() {
    report.records.header = {"operation",    "size_bytes",     "algorithm",      "segment_bytes",
                             "leaders",      "ours_algorithm", "ours_ns",        "ours_low_ns",
                             "ours_high_ns", "library_ns",     "library_low_ns", "library_high_ns",
                             "gain",         "gain_needed",    "origin",         "mpi"};
  }

  void add(const tuner::CollectiveCell& cell, const std::vector<SegmentRule>& rules) {
    const tuner::CollectiveTime* chosen = followed_time(rules, cell);
    const tuner::CollectiveTime* ours = fastest_time(cell, false);
    const tuner::CollectiveTime* library = fastest_time(cell, true);
    if (chosen == nullptr || ours == nullptr) return;
    const bool acts = chosen->algorithm != kLibraryAlgorithm;
    if (acts) ours = chosen;
    const bool predicted = cell.gain_error.has_value();
    const ShownTime our_time(ours), library_time(library);
    const json::Value gain =
        library == nullptr ? json::Value() : json::Value(library->median_ns / ours->median_ns);
    const double gain_needed = std::exp(ours->gain_error.value_or(0));
    const json::Value needed = predicted ? json::Value(gain_needed) : json::Value();
    // What the MPI chooses itself has neither that a program could see.
    const json::Value segment = acts ? json::Value(chosen->segment_bytes) : json::Value();
    const json::Value leaders = acts ? json::Value(chosen->leaders) : json::Value();
    const std::string segment_text =
        chosen->segment_bytes == 0 ? std::string("whole") : format_bytes(chosen->segment_bytes);
    const std::string_view origin = predicted ? "predicted" : "sampled";
    replaced_ += acts ? 1 : 0;
    predicted_ += predicted ? 1 : 0;
    ++count_;
    table_.add({cell.operation, format_bytes(cell.size_bytes), chosen->algorithm,
                acts ? segment_text : "-", acts ? std::to_string(chosen->leaders) : "-",
                our_time.text, our_time.interval, library_time.text, library_time.interval,
                gain.is_null() ? "-" : fmt::format("{:.2f}", library->median_ns / ours->median_ns),
                predicted ? fmt::format("{:.2f}", gain_needed) : "-", std::string(origin),
                cell.mpi});
    report.records.rows.push_back({cell.operation, cell.size_bytes, chosen->algorithm, segment,
                                   leaders, ours->algorithm, our_time.ns, our_time.low_ns,
                                   our_time.high_ns, library_time.ns, library_time.low_ns,
                                   library_time.high_ns, gain, needed, origin, cell.mpi});
    list_.push_back(json::Value::object()
                        .set("operation", cell.operation)
                        .set("size_bytes", cell.size_bytes)
                        .set("algorithm", chosen->algorithm)
                        .set("segment_bytes", segment)
                        .set("leaders", leaders)
                        .set("ours_algorithm", ours->algorithm)
                        .set("ours_ns", our_time.ns)
                        .set("ours_low_ns", our_time.low_ns)
                        .set("ours_high_ns", our_time.high_ns)
                        .set("library_ns", library_time.ns)
                        .set("library_low_ns", library_time.low_ns)
                        .set("library_high_ns", library_time.high_ns)
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
                ">library", "95 % interval", ">library / ours", ">needed", "origin", "under"}};
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
    if (here.cells.empty() && may_have_rules(shape)) here.cells = model.predict(shape);
    here.rules = rules_on(shape, plan, model);
    if (!here.cells.empty()) all.push_back(std::move(here));
  }
  return all;
}

const tuner::CollectiveTime* fastest_time(const tuner::CollectiveCell& cell, bool library) {
  const auto found = std::ranges::find_if(cell.times, [&](const tuner::CollectiveTime& time) {
    return (time.algorithm == kLibraryAlgorithm) == library;
  });
  return found == cell.times.end() ? nullptr : &*found;
}

const tuner::CollectiveTime* followed_time(const std::vector<SegmentRule>& rules,
                                           const tuner::CollectiveCell& cell) {
  const bool has_rule = std::ranges::any_of(
      rules, [&](const SegmentRule& rule) { return rule.covers(cell.size_bytes); });
  return has_rule ? tuner::chosen_time(rules, cell) : fastest_time(cell, true);
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
  if (all.empty() && !may_have_rules(shape)) {
    throw Error(Fault::kFailed,
                fmt::format("{} nodes of {} ranks: nothing is predicted for more than {} nodes, or "
                            "more than {} ranks per node, so the MPI's own collectives are used; "
                            "to use others, sample this shape",
                            shape.nodes, shape.ranks_per_node, tuner::kPredictedNodesMax,
                            tuner::kPredictedRanksPerNodeMax));
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
