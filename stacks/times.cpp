// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/times.h"

#include <algorithm>
#include <cmath>

#include "core/method.h"
#include "core/version.h"

namespace nmt::stacks {
namespace {

void add(const Sample& sample, StackSamples& samples) {
  const Condition& c = sample.condition;
  const StackKey key{c.operation, c.algorithm, c.segment_bytes, c.ranks,
                     c.method,    c.variant,   c.ranks_per_node};
  std::map<std::uint32_t, std::vector<double>> rounds;
  for (const Repetition& each : sample.repetitions) {
    if (!each.disturbed) rounds[each.round].push_back(each.each_ns());
  }
  for (const auto& [round, durations_ns] : rounds) {
    samples.times[key][sample.size_bytes][round] = median(durations_ns);
  }
}

// Launches of a program have no MPI of their own; the campaign says which one it launched.
std::string version_of(std::string_view stack, const StackSamples& samples) {
  const auto option = [&](std::string_view name) {
    const auto found = samples.campaign.options.find(std::string(name));
    return found == samples.campaign.options.end() ? std::string() : found->second;
  };
  if (stack == "ucx") return option(kUcxVersion);
  if (stack == "libfabric") return option(kLibfabricVersion);
  return version_in(samples.mpi.empty() ? option("library") : samples.mpi);
}

// How many of the n (n + 1) / 2 Walsh averages lie below an interval of at least 95 %, as far as
// there is one: all sums of the signed-rank test up to that number are together no more likely than
// 2.5 %. Many rounds follow the normal distribution closely enough.
std::size_t averages_below(std::size_t n) {
  constexpr std::size_t kCountedUpTo = 24;
  constexpr double kTail = 0.025, kNormalQuantile = 1.96;
  const auto rounds = static_cast<double>(n);
  if (n > kCountedUpTo) {
    const double spread = std::sqrt(rounds * (rounds + 1) * (2 * rounds + 1) / 24);
    return static_cast<std::size_t>(rounds * (rounds + 1) / 4 - kNormalQuantile * spread);
  }
  std::vector<double> subsets(n * (n + 1) / 2 + 1, 0);  // of the ranks 1 to n, by their sum
  subsets[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t sum = subsets.size() - 1; sum >= rank; --sum) {
      subsets[sum] += subsets[sum - rank];
    }
  }
  double left = kTail * std::exp2(rounds) - subsets[0];
  std::size_t below = 0;
  while (below + 1 < subsets.size() && left >= subsets[below + 1]) left -= subsets[++below];
  return below;
}

// From the logarithms of the ratios of one round each.
Ratio ratio_of_logs(const std::vector<double>& logs) {
  if (logs.empty()) return {};
  std::vector<double> walsh;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    for (std::size_t j = i; j < logs.size(); ++j) walsh.push_back((logs[i] + logs[j]) / 2);
  }
  std::ranges::sort(walsh);
  Ratio ratio{.value = std::exp(median(walsh)), .high = INFINITY, .rounds = logs.size()};
  if (logs.size() < kRoundsMin) return ratio;
  // Order statistics of the Walsh averages that the signed-rank test does not reject.
  const std::size_t k = averages_below(logs.size());
  ratio.low = std::exp(walsh[k]);
  ratio.high = std::exp(walsh[walsh.size() - 1 - k]);
  return ratio;
}

}  // namespace

std::vector<StackSamples> stack_samples(std::string_view stack, std::span<const SampleSet> sets) {
  const std::string prefix = std::string(stack) + "/";
  std::vector<StackSamples> all;
  for (const SampleSet& set : sets) {
    if (!set.path.from.driver.starts_with(prefix)) continue;
    StackSamples samples{.campaign = set.campaign, .rail = set.path.from.full_name()};
    for (const Sample& sample : set.samples) {
      const Condition& c = sample.condition;
      if (c.benchmark != benchmark::kStackMessage && c.benchmark != benchmark::kStackCollective) {
        continue;
      }
      samples.placement = c.placement;
      samples.mpi = c.mpi;
      add(sample, samples);
    }
    samples.version = version_of(stack, samples);
    if (!samples.times.empty()) all.push_back(std::move(samples));
  }
  std::ranges::stable_sort(all, [](const StackSamples& a, const StackSamples& b) {
    return a.campaign.started_utc > b.campaign.started_utc;
  });
  return all;
}

Ratio ratio_of(const ByRound& before, const ByRound& after) {
  std::vector<double> logs;
  for (const auto& [round, before_ns] : before) {
    const auto found = after.find(round);
    if (found != after.end()) logs.push_back(std::log(before_ns / found->second));
  }
  return ratio_of_logs(logs);
}

Ratio ratio_over(std::span<const BeforeAfter> cells) {
  std::map<std::uint32_t, std::vector<double>> rounds;
  for (const auto& [before, after] : cells) {
    for (const auto& [round, before_ns] : *before) {
      const auto found = after->find(round);
      if (found != after->end()) rounds[round].push_back(std::log(before_ns / found->second));
    }
  }
  std::vector<double> logs;
  for (const auto& [round, each] : rounds) {
    double sum = 0;
    for (const double log : each) sum += log;
    logs.push_back(sum / static_cast<double>(each.size()));
  }
  return ratio_of_logs(logs);
}

Ratio ratio_over(const StackTimes& before, const StackTimes& after,
                 std::span<const std::uint64_t> sizes_bytes) {
  std::vector<BeforeAfter> cells;
  for (const std::uint64_t size_bytes : sizes_bytes) {
    const auto first = before.find(size_bytes), second = after.find(size_bytes);
    if (first == before.end() || second == after.end()) continue;
    cells.emplace_back(&first->second, &second->second);
  }
  return ratio_over(cells);
}

double typical_ns(const ByRound& rounds) {
  std::vector<double> durations_ns;
  for (const auto& [round, duration_ns] : rounds) durations_ns.push_back(duration_ns);
  return median(durations_ns);
}

}  // namespace nmt::stacks
