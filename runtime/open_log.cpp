// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/open_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <vector>

#include "core/method.h"
#include "core/units.h"
#include "runtime/profile.h"

namespace nmt::runtime {
namespace {

constexpr std::uint64_t kWithoutEnd = UINT64_MAX;
constexpr std::uint64_t kFirstSplitBytes = 1 << 10;  // the smallest size that is tried

template <class Struct>
Struct sized() {
  Struct value{};
  value.struct_bytes = sizeof value;
  return value;
}

struct SizeRange {
  std::uint64_t from_bytes = 0;
  std::uint64_t to_bytes = kWithoutEnd;
  int method = NMT_NO_ADVICE;
};

// The method changes only at a threshold or a limit.
std::vector<SizeRange> ranges_of(const nmt_profile& profile, int path) {
  std::set<std::uint64_t> begins = {0};
  for (const int decision : {NMT_DECIDE_IOVEC, NMT_DECIDE_RENDEZVOUS}) {
    auto range = sized<nmt_range>();
    for (std::uint32_t i = 0; nmt_threshold_range(&profile, path, decision, i, &range) == NMT_OK;
         ++i) {
      begins.insert(range.from_bytes);
    }
  }
  std::vector<SizeRange> ranges;
  for (const std::uint64_t begin : begins) {
    if (begin > kSizeBytesMax) break;
    const int method = nmt_method_for(&profile, path, begin);
    if (!ranges.empty() && ranges.back().method == method) continue;
    if (!ranges.empty()) ranges.back().to_bytes = begin;
    ranges.push_back({.from_bytes = begin, .method = method});
  }
  return ranges;
}

std::string_view name_of(int method) {
  return method < 0 ? "no advice" : to_string(static_cast<Method>(method));
}

// The geometric middle of the measured part of a range.
std::uint64_t middle_of(const SizeRange& range, std::uint64_t size_bytes_max) {
  const auto low = static_cast<double>(std::max<std::uint64_t>(range.from_bytes, 1));
  const auto high = static_cast<double>(std::min(range.to_bytes - 1, size_bytes_max));
  return static_cast<std::uint64_t>(std::sqrt(low * std::max(low, high)));
}

std::string why(const nmt_profile& profile, int path, const SizeRange& range,
                std::uint64_t size_bytes_max) {
  const std::uint64_t at_bytes = middle_of(range, size_bytes_max);
  auto chosen = sized<nmt_prediction>();
  if (range.method < 0) return "not measured";
  if (nmt_predict(&profile, path, range.method, at_bytes, &chosen) != NMT_OK) return "a rule";
  std::optional<nmt_prediction> next;
  for (const Method method : kMethods) {
    auto other = sized<nmt_prediction>();
    const int number = static_cast<int>(method);
    if (number == range.method) continue;
    if (nmt_predict(&profile, path, number, at_bytes, &other) != NMT_OK) continue;
    if (!next || other.duration_ns < next->duration_ns) next = other;
  }
  const std::string own = format_duration(chosen.duration_ns);
  if (!next) return fmt::format("nothing else was measured; {} at {}", own, format_bytes(at_bytes));
  const bool is_faster = chosen.duration_ns <= next->duration_ns;
  return fmt::format("{}{} at {}, {} {}", is_faster ? "" : "a limit or a threshold: ", own,
                     format_bytes(at_bytes), name_of(next->method),
                     format_duration(next->duration_ns));
}

std::string sizes_of(const SizeRange& range) {
  if (range.to_bytes == kWithoutEnd) return fmt::format("from {}", format_bytes(range.from_bytes));
  return fmt::format("{} to below {}", format_bytes(range.from_bytes),
                     format_bytes(range.to_bytes));
}

void add_path(const nmt_profile& profile, int path, std::string* text) {
  auto described = sized<nmt_path_description>();
  if (nmt_describe_path(&profile, path, &described) != NMT_OK) return;
  *text += fmt::format(
      "nmadtune: {} ({}, {}{}{}{}):\n", described.rail, described.regime, described.placement,
      *described.busy_rails == '\0' ? "" : ", beside busy ", described.busy_rails,
      described.ranks_per_nic <= 1 ? ""
                                   : fmt::format(", by {} ranks per NIC", described.ranks_per_nic));
  for (const SizeRange& range : ranges_of(profile, path)) {
    *text += fmt::format("nmadtune:   {:<28} {:<10} {}\n", sizes_of(range), name_of(range.method),
                         why(profile, path, range, described.size_bytes_max));
  }
  auto aggregation = sized<nmt_threshold_info>();
  if (nmt_threshold(&profile, path, NMT_DECIDE_AGGREGATION, &aggregation) != NMT_OK) return;
  constexpr const char* kAnswers[] = {"together below ", "never together", "always together",
                                      "together at some sizes"};
  *text += fmt::format("nmadtune:   {:<28} {}{}\n", "two packets", kAnswers[aggregation.answer],
                       aggregation.answer == NMT_THRESHOLD ? format_bytes(aggregation.bytes) : "");
}

// One idle path of each rail, as nmt_find_path returns it.
std::vector<int> paths_of_rails(const nmt_profile& profile, std::uint32_t paths) {
  std::set<int> found;
  for (std::uint32_t i = 0; i < paths; ++i) {
    auto described = sized<nmt_path_description>();
    if (nmt_describe_path(&profile, static_cast<int>(i), &described) != NMT_OK) continue;
    found.insert(nmt_find_path(&profile, described.rail, nullptr));
  }
  found.erase(found.begin(), found.lower_bound(0));
  return {found.begin(), found.end()};
}

void add_split(const nmt_profile& profile, const std::vector<int>& paths, std::string* text) {
  if (paths.size() < 2 || paths.size() > NMT_SPLIT_RAILS_MAX) return;
  std::vector<nmt_share> shares(paths.size());
  for (std::uint64_t size = kFirstSplitBytes; size <= std::uint64_t{1} << 30; size *= 2) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      shares[i] = sized<nmt_share>();
      shares[i].path = paths[i];
    }
    auto result = sized<nmt_split_result>();
    const auto count = static_cast<std::uint32_t>(shares.size());
    if (nmt_split(&profile, size, shares.data(), count, &result) != NMT_OK) continue;
    if (result.chunks < 2) continue;
    std::string rails;
    double best_ns = -1;
    for (const nmt_share& share : shares) {
      auto described = sized<nmt_path_description>();
      nmt_describe_path(&profile, share.path, &described);
      const double whole_ns = nmt_duration_ns(&profile, share.path, size);
      if (whole_ns >= 0 && (best_ns < 0 || whole_ns < best_ns)) best_ns = whole_ns;
      if (share.bytes > 0) rails += (rails.empty() ? "" : " and ") + std::string(described.rail);
    }
    *text += fmt::format(
        "nmadtune: over all idle rails: split from {} at the latest, over {}: {}, "
        "whole {}\n",
        format_bytes(size), rails, format_duration(result.end_ns), format_duration(best_ns));
    return;
  }
  *text += "nmadtune: over all idle rails: no message up to 1 GiB is split\n";
}

}  // namespace

std::string decisions_of(const nmt_profile& profile) {
  auto described = sized<nmt_description>();
  if (nmt_describe(&profile, &described) != NMT_OK) return "";
  std::string text = fmt::format("nmadtune: {}: platform {}, measured {}{}\n", described.file,
                                 described.platform, described.measured_utc,
                                 described.foreign != 0       ? ", which is not as it was"
                                 : described.unconfirmed != 0 ? ", to be confirmed here"
                                                              : "");
  for (std::uint32_t i = 0; i < described.paths; ++i) {
    add_path(profile, static_cast<int>(i), &text);
  }
  add_split(profile, paths_of_rails(profile, described.paths), &text);
  std::uint32_t rules = 0;
  for (auto rule = sized<nmt_collective_rule>();
       nmt_describe_collective(&profile, rules, &rule) == NMT_OK;) {
    ++rules;
  }
  if (rules != 0) {
    text += fmt::format("nmadtune: {} rules for collectives (nmad-tune collectives)\n", rules);
  }
  return text;
}

}  // namespace nmt::runtime
