// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/job_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "core/collective_sample.h"
#include "core/units.h"

namespace nmt::tools {
namespace {

using sampler::SubShape;

// In less, most ways of an operation are visited too seldom to tell them apart.
constexpr double kShapeNsMin = 10e9;
// Of one that was promised, after others took longer than theirs.
constexpr double kLateShapeNsMin = kShapeNsMin / 2;

std::string budget_for(std::size_t shapes) {
  return fmt::format("--budget {:.0f}s", kShapeNsMin / 1e9 * static_cast<double>(shapes));
}

}  // namespace

std::vector<SubShape> known_shapes(const profiledb::ProfileDb& db, const Id& platform,
                                   const std::string& mpi_library,
                                   const std::vector<std::string>& operations) {
  std::map<SubShape, std::set<std::string>> sampled;
  for (const SampleSet& set : db.sample_sets_in_force(platform)) {
    if (!set.campaign.complete) continue;
    for (const Sample& sample : set.samples) {
      const Condition& condition = sample.condition;
      if (!compares_algorithms(sample) || condition.mpi != mpi_library) continue;
      sampled[{condition.nodes, condition.ranks_per_node}].insert(condition.operation);
    }
  }
  std::vector<SubShape> known;
  for (const auto& one : sampled) {
    const auto is_sampled = [&](const std::string& each) { return one.second.contains(each); };
    if (std::ranges::all_of(operations, is_sampled)) known.push_back(one.first);
  }
  return known;
}

ShapeQueue::ShapeQueue(std::vector<SubShape> shapes, const std::vector<SubShape>& known,
                       bool resume, double budget_ns)
    : budget_ns_(budget_ns) {
  for (const SubShape& shape : shapes) {
    const bool is_known = std::ranges::find(known, shape) != known.end();
    (resume && is_known ? kept_ : shapes_).push_back(shape);
  }
  shapes_ = sampler::least_known_first(std::move(shapes_), known);
  const auto fit = static_cast<std::size_t>(std::max(1.0, budget_ns / kShapeNsMin));
  planned_ = std::min(shapes_.size(), fit);
}

std::string ShapeQueue::forecast() const {
  const std::span<const SubShape> all = shapes_;
  std::string text = planned_ == 0
                         ? "collectives: nothing to sample"
                         : fmt::format("collectives: {} for {} (nodes x ranks per node)",
                                       format_duration(budget_ns_), to_string(all.first(planned_)));
  if (!kept_.empty()) text += fmt::format("; sampled before: {}", to_string(kept_));
  if (planned_ < all.size()) {
    text += fmt::format("; no time for {}", to_string(all.subspan(planned_)));
  }
  return text;
}

bool ShapeQueue::next(double left_ns, SubShape* shape, double* budget_ns) {
  std::size_t fit = planned_ - done_;
  const std::size_t fit_min = done_ == 0 ? 1 : 0;
  while (fit > fit_min && left_ns < kLateShapeNsMin * static_cast<double>(fit)) --fit;
  if (fit == 0) return false;
  *shape = shapes_[done_++];
  *budget_ns = left_ns / static_cast<double>(fit);
  return true;
}

std::string ShapeQueue::not_sampled() const {
  if (done_ == shapes_.size()) return "";
  return fmt::format(
      "collectives: {} not sampled, for lack of time: rules for such shapes are predicted from "
      "those that were; --resume {} samples what is missing",
      to_string(std::span<const SubShape>(shapes_).subspan(done_)),
      budget_for(shapes_.size() - done_));
}

}  // namespace nmt::tools
