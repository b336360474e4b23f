// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/pair_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "core/method.h"
#include "core/statistics.h"
#include "tools/command/utc.h"

namespace nmt::tools {
namespace {

constexpr double kDayS = 24 * 3600;

bool is_plain_transfer(const Sample& sample) {
  const Condition& condition = sample.condition;
  return !sample.held_out && condition.benchmark == benchmark::kTransfer && condition.is_alone() &&
         condition.regime == "hot";
}

}  // namespace

std::map<std::uint64_t, double> landmark_durations_ns(const SampleSet& set) {
  std::map<std::uint64_t, double> best_ns;  // by size, over the methods
  for (const Sample& sample : set.samples) {
    if (!is_plain_transfer(sample)) continue;
    std::vector<double> durations_ns;
    for (const Repetition& each : trusted(sample.repetitions)) {
      durations_ns.push_back(each.each_ns());
    }
    if (durations_ns.empty()) continue;
    const double duration_ns = median(durations_ns);
    const auto [entry, first] = best_ns.emplace(sample.size_bytes, duration_ns);
    if (!first) entry->second = std::min(entry->second, duration_ns);
  }
  if (best_ns.empty()) return best_ns;
  const std::uint64_t least = best_ns.begin()->first, most = best_ns.rbegin()->first;
  std::erase_if(best_ns, [&](const auto& each) {
    return each.first != least && each.first != most &&
           std::ranges::find(kLandmarksBytes, each.first) == std::end(kLandmarksBytes);
  });
  return best_ns;
}

std::vector<cluster::PairTime> pair_times(const SampleSet& set, const PathName& name) {
  if (name.peer.empty() || !set.others.empty()) return {};
  const auto ends = std::minmax(name.platform, name.peer_platform);
  const bool equal = ends.first == ends.second;
  const std::string rail =
      equal ? name.rail
            : fmt::format("{} ({} to {})", name.rail, ends.first.hex().substr(0, 8),
                          ends.second.hex().substr(0, 8));
  const auto round = set.campaign.options.find("round");
  std::vector<cluster::PairTime> times;
  for (const auto& [size_bytes, duration_ns] : landmark_durations_ns(set)) {
    times.push_back({.near = name.node,
                     .far = name.peer,
                     .rail = rail,
                     .size_bytes = size_bytes,
                     .launch = round == set.campaign.options.end() ? "" : round->second,
                     .duration_ns = duration_ns});
  }
  return times;
}

void PairTimesByCampaign::add(const SampleSet& set, const PathName& name) {
  std::vector<cluster::PairTime> times = pair_times(set, name);
  if (times.empty()) return;
  DatedTimes& dated = campaigns_[set.campaign.id];
  dated.started_s = started_s(set.campaign);
  dated.started_utc = set.campaign.started_utc;
  std::ranges::move(times, std::back_inserter(dated.times));
}

PairTimes PairTimesByCampaign::since(const std::string& date) const {
  PairTimes found;
  double newest_s = 0;
  for (const auto& [campaign, dated] : campaigns_) {
    newest_s = std::max(newest_s, dated.started_s);
    found.newest_utc = std::max(found.newest_utc, dated.started_utc);
  }
  const double first_s = date.empty() ? newest_s - kDayS : seconds_since_1970(date);
  for (const auto& [campaign, dated] : campaigns_) {
    if (dated.started_s < first_s) {
      ++found.left_out;
    } else {
      std::ranges::copy(dated.times, std::back_inserter(found.times));
    }
  }
  return found;
}

PairTimes pair_times(const profiledb::ProfileDb& db, const std::string& since) {
  const std::map<Id, PathName> names = db.path_names();
  PairTimesByCampaign all;
  for (const Platform& platform : db.platforms()) {
    for (const Campaign& campaign : db.campaigns(platform.id)) {
      for (const SampleSet& set : db.sample_sets(campaign.id)) {
        const auto name = names.find(set.path.id);
        if (name != names.end()) all.add(set, name->second);
      }
    }
  }
  return all.since(since);
}

}  // namespace nmt::tools
