// SPDX-License-Identifier: BSD-3-Clause
#include "contention/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

#include "contention/hosts.h"
#include "core/method.h"

namespace nmt::contention {
namespace {

// Durations of one message alone, by size, of one MPI.
using Messages = std::map<std::uint64_t, std::vector<double>>;

bool is_alltoall(const Sample& sample) {
  return !sample.held_out && sample.condition.benchmark == benchmark::kCollective &&
         sample.condition.operation == kAlltoall;
}

Messages messages_of(const SampleSet& set, const std::string& mpi) {
  Messages messages;
  for (const Sample& sample : set.samples) {
    const Condition& condition = sample.condition;
    if (sample.held_out || condition.benchmark != benchmark::kMessage || condition.mpi != mpi) {
      continue;
    }
    for (const Repetition& repetition : trusted(sample.repetitions)) {
      messages[sample.size_bytes].push_back(repetition.each_ns());
    }
  }
  return messages;
}

Curve curve_through(const Messages& messages) {
  std::vector<Point> points;
  for (const auto& [size_bytes, durations_ns] : messages) {
    points.push_back({static_cast<double>(size_bytes), median(durations_ns)});
  }
  return points.empty() ? Curve() : Curve(std::move(points));
}

// Pairs the mean and the slowest of the same number of connections.
std::vector<ConnectionProbe> probes_of(std::span<const SampleSet> sets, const std::string& mpi) {
  struct Times {
    std::vector<double> mean_ns;
    std::vector<double> slowest_ns;
    std::int64_t nodes = 0;
  };
  std::map<std::pair<std::int64_t, std::uint64_t>, Times> measured;
  for (const SampleSet& set : sets) {
    for (const Sample& sample : set.samples) {
      const Condition& condition = sample.condition;
      if (condition.benchmark != benchmark::kConnections || condition.mpi != mpi) continue;
      Times& times = measured[{condition.ranks, sample.size_bytes}];
      times.nodes = condition.nodes;
      auto& into = condition.variant == "slowest" ? times.slowest_ns : times.mean_ns;
      for (const Repetition& repetition : trusted(sample.repetitions)) {
        into.push_back(repetition.each_ns());
      }
    }
  }
  std::vector<ConnectionProbe> probes;
  for (auto& [which, times] : measured) {
    if (times.mean_ns.empty() || times.slowest_ns.empty()) continue;
    const double mean_ns = median(times.mean_ns);
    const double slowest_ns = std::max(mean_ns, median(times.slowest_ns));
    probes.push_back({which.first, which.second, mean_ns, slowest_ns, times.nodes});
  }
  return probes;
}

// The factor by which this session's messages took longer than those of all sessions.
double factor_of(const Messages& own, const Curve& all) {
  std::vector<double> logs;
  for (const auto& [size_bytes, durations_ns] : own) {
    const double usual_ns = all.at(static_cast<double>(size_bytes));
    const double own_ns = median(durations_ns);
    if (usual_ns > 0 && own_ns > 0) logs.push_back(std::log(own_ns / usual_ns));
  }
  return logs.empty() ? 1 : std::exp(median(logs));
}

std::int64_t cores_of(const Campaign& campaign) {
  const auto option = campaign.options.find(kCoresOption);
  std::int64_t cores = 0;
  if (option != campaign.options.end()) {
    std::from_chars(option->second.data(), option->second.data() + option->second.size(), cores);
  }
  return cores;
}

// Of the session, or else of all sessions; empty: not known.
std::string option_of(const SampleSet& set, const std::string& name) {
  const Fields& options = set.campaign.options;
  auto option = options.find(fmt::format("{}.{}", name, set.session.id.hex()));
  if (option == options.end()) option = options.find(name);
  return option == options.end() ? std::string() : option->second;
}

std::vector<std::string> hosts_of(const SampleSet& set) {
  const std::string hosts = option_of(set, kHostsOption);
  return hosts.empty() ? std::vector<std::string>() : expand_hosts(hosts);
}

// Of all jobs of the profile: where nodes are does not depend on what was measured on them.
std::optional<NamedGroups> groups_of(std::span<const SampleSet> sets) {
  std::map<Id, NamedGroups> jobs;
  for (const SampleSet& set : sets) {
    const std::string groups = option_of(set, kGroupsOption);
    if (!groups.empty()) jobs.emplace(set.session.id, named_groups_from(groups));
  }
  if (jobs.empty()) return {};
  std::vector<NamedGroups> all;
  for (auto& [session, groups] : jobs) all.push_back(std::move(groups));
  return united(all);
}

}  // namespace

std::vector<AlltoallTimes> alltoall_times(std::span<const SampleSet> sets) {
  using Key = std::tuple<std::string, std::string, std::int64_t>;  // MPI, algorithm, ranks per node
  std::map<Key, AlltoallTimes> all;
  std::map<std::string, Messages> messages;
  for (const SampleSet& set : sets) {
    for (const Sample& sample : set.samples) {
      const Condition& condition = sample.condition;
      if (!is_alltoall(sample)) continue;
      all[{condition.mpi, condition.algorithm, condition.ranks_per_node}];
      messages[condition.mpi];
    }
  }
  for (auto& [mpi, pooled] : messages) {
    for (const SampleSet& set : sets) {
      for (auto& [size_bytes, durations_ns] : messages_of(set, mpi)) {
        auto& into = pooled[size_bytes];
        into.insert(into.end(), durations_ns.begin(), durations_ns.end());
      }
    }
  }
  for (auto& [key, times] : all) {
    const auto& [mpi, algorithm, ranks_per_node] = key;
    times.algorithm = mpi.empty() ? algorithm : algorithm + " (" + mpi + ")";
    times.ranks_per_node = std::max<std::int64_t>(ranks_per_node, 1);
    times.message = curve_through(messages[mpi]);
    times.probes = probes_of(sets, mpi);
    std::map<Id, std::uint32_t> sessions;
    for (const SampleSet& set : sets) {
      const double factor =
          times.message.empty() ? 1 : factor_of(messages_of(set, mpi), times.message);
      for (const Sample& sample : set.samples) {
        const Condition& condition = sample.condition;
        if (!is_alltoall(sample) ||
            Key{condition.mpi, condition.algorithm, condition.ranks_per_node} != key) {
          continue;
        }
        times.cores = std::max(times.cores, cores_of(set.campaign));
        const auto session =
            sessions.emplace(set.session.id, static_cast<std::uint32_t>(sessions.size())).first;
        if (!times.hosts.contains(session->second)) {
          std::vector<std::string> hosts = hosts_of(set);
          if (!hosts.empty()) times.hosts[session->second] = std::move(hosts);
        }
        for (const Repetition& repetition : trusted(sample.repetitions)) {
          times.times.push_back(
              {condition.ranks, sample.size_bytes, session->second, repetition.each_ns() / factor});
        }
      }
    }
  }
  const std::optional<NamedGroups> groups = groups_of(sets);
  std::vector<AlltoallTimes> result;
  for (auto& [key, times] : all) {
    times.groups = groups;
    result.push_back(std::move(times));
  }
  return result;
}

}  // namespace nmt::contention
