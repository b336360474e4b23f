// SPDX-License-Identifier: BSD-3-Clause
#include "tools/report/collectives_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "contention/contention.h"
#include "core/collective_sample.h"
#include "core/error.h"
#include "core/statistics.h"

namespace nmt::tools {
namespace {

constexpr std::int64_t kBeyond = 4;  // times the largest measured number of ranks, or of nodes

json::Value time_json(const tuner::CollectiveTime* time) {
  if (time == nullptr) return {};
  return json::Value::object()
      .set("algorithm", time->algorithm)
      .set("segment_bytes", time->segment_bytes)
      .set("leaders", time->leaders)
      .set("median_ns", time->median_ns);
}

json::Value prediction_json(const contention::SignatureFit& fit, std::int64_t ranks,
                            std::uint64_t size_bytes) {
  const contention::AlltoallPrediction prediction =
      contention::predict_alltoall(fit, ranks, size_bytes);
  const bool refused = prediction.verdict == contention::Verdict::kRefused;
  const auto limit = [&](double Interval::*end) {
    return prediction.interval_ns ? json::Value((*prediction.interval_ns).*end) : json::Value();
  };
  return json::Value::object()
      .set("n", ranks)
      .set("m_bytes", size_bytes)
      .set("predicted_ns", refused ? json::Value() : json::Value(prediction.predicted_ns))
      .set("low_ns", limit(&Interval::low))
      .set("high_ns", limit(&Interval::high))
      .set("lower_bound_ns", prediction.lower_bound_ns)
      .set("verdict", to_string(prediction.verdict));
}

json::Value predictions_json(const contention::SignatureFit& fit,
                             const std::set<std::int64_t>& ranks,
                             const std::set<std::uint64_t>& sizes_bytes) {
  std::set<std::int64_t> asked = ranks;
  for (std::int64_t n = 2 * *ranks.rbegin(); n <= kBeyond * *ranks.rbegin(); n *= 2) {
    asked.insert(n);
  }
  json::Value predictions = json::Value::array();
  for (const std::int64_t n : asked) {
    for (const std::uint64_t size_bytes : sizes_bytes) {
      try {
        predictions.push_back(prediction_json(fit, n, size_bytes));
      } catch (const Error&) {  // an impossible question: all ranks on one node
      }
    }
  }
  return predictions;
}

// All pairs of the numbers of nodes and of ranks per node that were sampled, and more nodes.
std::vector<tuner::CollectiveShape> shapes_to_predict(const tuner::CollectiveModel& model) {
  std::set<std::int64_t> nodes, ranks_per_node;
  for (const tuner::CollectiveShape& shape : model.shapes()) {
    nodes.insert(shape.nodes);
    ranks_per_node.insert(shape.ranks_per_node);
  }
  const std::int64_t most = *nodes.rbegin();
  const std::int64_t last = std::min(kBeyond * most, tuner::kPredictedNodesMax);
  for (std::int64_t n = 2 * most; most > 1 && n <= last; n *= 2) nodes.insert(n);
  std::vector<tuner::CollectiveShape> shapes;
  for (const std::int64_t n : nodes) {
    for (const std::int64_t ranks : ranks_per_node) {
      const tuner::CollectiveShape shape{n, ranks};
      if (std::ranges::find(model.shapes(), shape) == model.shapes().end()) shapes.push_back(shape);
    }
  }
  return shapes;
}

// By which a program calls another algorithm than the one that the MPI chooses; null: it does not.
const SegmentRule* rule_that_acts(const tuner::CollectiveCell& cell,
                                  const std::vector<SegmentRule>& rules) {
  const auto found = std::ranges::find_if(rules, [&](const SegmentRule& rule) {
    return rule.mpi == cell.mpi && rule.operation == cell.operation &&
           rule.algorithm != kLibraryAlgorithm && !rule.algorithm.empty() &&
           rule.applies_to(cell.nodes, cell.ranks_per_node) && rule.covers(cell.size_bytes);
  });
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace

std::vector<tuner::CollectiveCell> predicted_cells(std::span<const tuner::CollectiveCell> cells) {
  std::vector<tuner::CollectiveCell> predicted;
  for (const tuner::CollectiveModel& model : tuner::collective_models(cells)) {
    for (const tuner::CollectiveShape& shape : shapes_to_predict(model)) {
      for (tuner::CollectiveCell& cell : model.predict(shape)) predicted.push_back(std::move(cell));
    }
  }
  return predicted;
}

json::Value collective_cells_json(std::span<const tuner::CollectiveCell> cells,
                                  const std::vector<SegmentRule>& rules) {
  json::Value list = json::Value::array();
  for (const tuner::CollectiveCell& cell : cells) {
    const tuner::CollectiveTime* library = nullptr;
    const tuner::CollectiveTime* ours = nullptr;
    for (const tuner::CollectiveTime& time : cell.times) {  // the fastest first
      const tuner::CollectiveTime*& each = time.algorithm == kLibraryAlgorithm ? library : ours;
      if (each == nullptr) each = &time;
    }
    const SegmentRule* acting = rule_that_acts(cell, rules);
    // Another way than the fastest may be followed, because it is good at more sizes.
    for (const tuner::CollectiveTime& time : cell.times) {
      const bool followed = acting != nullptr && time.algorithm == acting->algorithm &&
                            time.segment_bytes == acting->segment_bytes &&
                            time.leaders == acting->leaders;
      if (cell.gain_error && followed) ours = &time;
    }
    std::optional<double> regretted;
    if (!cell.gain_error) regretted = tuner::regret(rules, cell);
    json::Value needed;
    if (cell.gain_error) needed = json::Value(std::exp(ours->gain_error.value_or(0)));
    list.push_back(json::Value::object()
                       .set("mpi", cell.mpi)
                       .set("operation", cell.operation)
                       .set("nodes", cell.nodes)
                       .set("ranks_per_node", cell.ranks_per_node)
                       .set("size_bytes", cell.size_bytes)
                       .set("library", time_json(library))
                       .set("ours", time_json(ours))
                       .set("replaced", acting != nullptr)
                       .set("regret", regretted ? json::Value(*regretted) : json::Value())
                       .set("gain_needed", std::move(needed)));
  }
  return list;
}

json::Value alltoall_json(const contention::AlltoallTimes& times) {
  std::map<std::pair<std::int64_t, std::uint64_t>, std::vector<double>> measured;
  std::set<std::int64_t> ranks;
  std::set<std::uint64_t> sizes_bytes;
  for (const contention::AlltoallTime& time : times.times) {
    measured[{time.ranks, time.size_bytes}].push_back(time.duration_ns);
    ranks.insert(time.ranks);
    sizes_bytes.insert(time.size_bytes);
  }
  json::Value medians = json::Value::array();
  for (const auto& [cell, durations_ns] : measured) {
    medians.push_back(json::Value::Array{cell.first, cell.second, median(durations_ns)});
  }
  json::Value entry = json::Value::object()
                          .set("algorithm", times.algorithm)
                          .set("ranks_per_node", times.ranks_per_node)
                          .set("times", std::move(medians));
  try {
    const contention::SignatureFit fit = contention::fit_signature(times, {});
    entry.set("signature", contention::to_json(fit))
        .set("predictions", predictions_json(fit, ranks, sizes_bytes));
  } catch (const Error& error) {  // too few measurements; it says which are missing
    entry.set("reason", error.what());
  }
  return entry;
}

}  // namespace nmt::tools
