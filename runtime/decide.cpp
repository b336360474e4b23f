// SPDX-License-Identifier: BSD-3-Clause
//
// Decisions about one path. A communication stack calls the first three for every message.
#include <algorithm>
#include <cstddef>
#include <optional>

#include "core/interpolate.h"
#include "runtime/profile.h"

namespace nmt::runtime {
namespace {

// The range that contains a size.
const RangeRecord& range_at(const View& view, std::uint32_t from, std::uint32_t count,
                            std::uint64_t size_bytes) {
  const auto ranges = view.ranges.subspan(from, count);
  const auto above = std::upper_bound(
      ranges.begin(), ranges.end(), size_bytes,
      [](std::uint64_t size, const RangeRecord& range) { return size < range.from_bytes; });
  return *std::prev(above);
}

[[gnu::noinline]] int method_by_ranges(const View& view, int path, std::uint64_t size_bytes) {
  const PathDetailRecord& detail = view.details[static_cast<std::size_t>(path)];
  return range_at(view, detail.methods_from, detail.method_ranges, size_bytes).choice;
}

const ThresholdRecord* find_threshold(const View& view, int path, int decision) {
  const PathDetailRecord& detail = view.details[static_cast<std::size_t>(path)];
  for (const ThresholdRecord& threshold :
       view.thresholds.subspan(detail.thresholds_from, detail.thresholds)) {
    if (threshold.decision == static_cast<std::uint32_t>(decision)) return &threshold;
  }
  return nullptr;
}

// For sums that the bounds of the path do not decide (runtime/aggregation.h).
[[gnu::noinline]] int aggregate_by_curves(const View& view, int path, std::uint64_t first_bytes,
                                          std::uint64_t second_bytes) {
  const PathBlock& block = view.paths[static_cast<std::size_t>(path)];
  if (first_bytes != second_bytes && block.aggregation != PathBlock::kNone) {
    const AggregationTable& table = view.aggregations[block.aggregation];
    const double apart_ns = table.one_of_two.at(first_bytes) + table.one_of_two.at(second_bytes);
    return table.together.at(first_bytes + second_bytes) < apart_ns;
  }
  const ThresholdRecord* threshold = find_threshold(view, path, NMT_DECIDE_AGGREGATION);
  if (threshold == nullptr) return NMT_NO_ADVICE;
  const std::uint64_t mean_bytes = (first_bytes + second_bytes) / 2;
  return range_at(view, threshold->ranges_from, threshold->ranges, mean_bytes).choice == 0;
}

// Uses the fastest variant of the method.
std::optional<nmt_prediction> predict(const View& view, int path, int method, double size_bytes) {
  const PathDetailRecord& detail = view.details[static_cast<std::size_t>(path)];
  std::optional<nmt_prediction> best;
  for (const CurveRecord& curve : view.curves.subspan(detail.curves_from, detail.curves)) {
    if (static_cast<int>(curve.method) != method) continue;
    const auto points = view.points.subspan(curve.points_from, curve.points);
    const double duration_ns = interpolate(points, size_bytes, &PointRecord::duration_ns);
    if (best && best->duration_ns <= duration_ns) continue;
    const double low_ns = interpolate(points, size_bytes, &PointRecord::low_ns);
    const double high_ns = interpolate(points, size_bytes, &PointRecord::high_ns);
    const bool extrapolated = size_bytes > points.back().size_bytes;
    best = nmt_prediction{.struct_bytes = 0,
                          .flags = extrapolated ? std::uint32_t{NMT_ADVICE_EXTRAPOLATED} : 0,
                          .method = method,
                          .reserved = 0,
                          .duration_ns = duration_ns,
                          .low_ns = std::min(duration_ns, low_ns),
                          .high_ns = std::max(duration_ns, high_ns),
                          .variant = view.text_at(curve.variant)};
  }
  return best;
}

}  // namespace
}  // namespace nmt::runtime

int nmt_method_for(const nmt_profile* profile, int path, uint64_t size_bytes) {
  if (const int wrong = nmt::runtime::check_question(profile, path, size_bytes)) [[unlikely]]
    return wrong;
  const nmt::runtime::PathBlock& block = profile->view.paths[static_cast<std::size_t>(path)];
  int changes = 0;
  for (const std::uint64_t from : block.method_from) changes += size_bytes >= from;
  // The four bits of the last change, sign-extended.
  const int choice = static_cast<int>(block.method_choices << (28 - 4 * changes)) >> 28;
  if (choice == nmt::runtime::PathBlock::kAskRanges) [[unlikely]] {
    return nmt::runtime::method_by_ranges(profile->view, path, size_bytes);
  }
  return choice;
}

int nmt_fast_path(const nmt_profile* profile, int path, nmt_fast_line* line) {
  constexpr std::size_t kRoomMin = offsetof(nmt_fast_line, from_bytes);
  if (line == nullptr || line->struct_bytes < kRoomMin) return NMT_INVALID;
  const std::size_t room = std::min<std::size_t>(
      NMT_FAST_CHANGES, (line->struct_bytes - kRoomMin) / sizeof line->from_bytes[0]);
  line->flags = 0;
  std::ranges::fill(line->choices, static_cast<std::int8_t>(NMT_NO_ADVICE));
  std::fill_n(line->from_bytes, room, UINT64_MAX);
  if (const int wrong = nmt::runtime::check_question(profile, path, 0)) return wrong;
  const nmt::runtime::PathDetailRecord& detail =
      profile->view.details[static_cast<std::size_t>(path)];
  const auto ranges = profile->view.ranges.subspan(detail.methods_from, detail.method_ranges);
  line->flags = nmt::runtime::flags_of(*profile, static_cast<std::size_t>(path));
  // The last choice that there is room for is that of one range, or of all further ones together.
  for (std::size_t i = 0; i < ranges.size() && i <= room; ++i) {
    if (i > 0) line->from_bytes[i - 1] = ranges[i].from_bytes;
    const bool fits = i < room || ranges.size() == room + 1;
    line->choices[i] = static_cast<std::int8_t>(fits ? ranges[i].choice : int{NMT_NO_ADVICE});
  }
  return NMT_OK;
}

double nmt_duration_ns(const nmt_profile* profile, int path, uint64_t size_bytes) {
  if (const int wrong = nmt::runtime::check_question(profile, path, size_bytes)) [[unlikely]]
    return wrong;
  return profile->view.paths[static_cast<std::size_t>(path)].duration.at(size_bytes);
}

int nmt_aggregate(const nmt_profile* profile, int path, uint64_t first_bytes,
                  uint64_t second_bytes) {
  // The OR has the sign bit if one of the two sizes has it.
  if (const int wrong = nmt::runtime::check_question(profile, path, first_bytes | second_bytes))
      [[unlikely]] {
    return wrong;
  }
  const nmt::runtime::PathBlock& block = profile->view.paths[static_cast<std::size_t>(path)];
  const std::uint64_t sum = first_bytes + second_bytes;
  const bool together = sum < block.aggregate_below;
  if (!together && sum < block.separate_from) [[unlikely]] {
    return nmt::runtime::aggregate_by_curves(profile->view, path, first_bytes, second_bytes);
  }
  return together;
}

int nmt_predict(const nmt_profile* profile, int path, int method, uint64_t size_bytes,
                nmt_prediction* prediction) {
  if (const int wrong = nmt::runtime::check_question(profile, path, size_bytes)) return wrong;
  if (!nmt::runtime::is_writable(prediction)) return NMT_INVALID;
  if (method == NMT_ANY_METHOD) method = nmt_method_for(profile, path, size_bytes);
  if (method == NMT_NO_ADVICE) return NMT_NO_ADVICE;
  if (method < NMT_COPY || method > NMT_RENDEZVOUS) return NMT_INVALID;
  auto best = nmt::runtime::predict(profile->view, path, method, static_cast<double>(size_bytes));
  if (!best) return NMT_NO_ADVICE;
  best->flags |= nmt::runtime::flags_of(*profile, static_cast<std::size_t>(path));
  nmt::runtime::put(prediction, *best);
  return NMT_OK;
}

int nmt_threshold(const nmt_profile* profile, int path, int decision, nmt_threshold_info* info) {
  if (const int wrong = nmt::runtime::check_question(profile, path, 0)) return wrong;
  if (!nmt::runtime::is_writable(info)) return NMT_INVALID;
  if (decision < NMT_DECIDE_IOVEC || decision > NMT_DECIDE_AGGREGATION) return NMT_INVALID;
  const nmt::runtime::ThresholdRecord* threshold =
      nmt::runtime::find_threshold(profile->view, path, decision);
  if (threshold == nullptr) return NMT_NO_ADVICE;
  nmt::runtime::put(info, {.struct_bytes = 0,
                           .answer = threshold->answer,
                           .bytes = threshold->bytes,
                           .low_bytes = threshold->low_bytes,
                           .high_bytes = threshold->high_bytes,
                           .regret = threshold->regret,
                           .bounded = threshold->bounded,
                           .ranges = threshold->ranges});
  return NMT_OK;
}

int nmt_threshold_range(const nmt_profile* profile, int path, int decision, uint32_t index,
                        nmt_range* range) {
  if (const int wrong = nmt::runtime::check_question(profile, path, 0)) return wrong;
  if (!nmt::runtime::is_writable(range)) return NMT_INVALID;
  if (decision < NMT_DECIDE_IOVEC || decision > NMT_DECIDE_AGGREGATION) return NMT_INVALID;
  const nmt::runtime::ThresholdRecord* threshold =
      nmt::runtime::find_threshold(profile->view, path, decision);
  if (threshold == nullptr) return NMT_NO_ADVICE;
  if (index >= threshold->ranges) return NMT_UNKNOWN;
  const auto ranges = profile->view.ranges.subspan(threshold->ranges_from, threshold->ranges);
  nmt::runtime::put(
      range, {.struct_bytes = 0,
              .above = static_cast<std::uint32_t>(ranges[index].choice),
              .from_bytes = ranges[index].from_bytes,
              .to_bytes = index + 1 < ranges.size() ? ranges[index + 1].from_bytes : UINT64_MAX});
  return NMT_OK;
}
