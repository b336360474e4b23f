// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/guidelines.h"

#include <compare>
#include <map>
#include <optional>

#include "core/collective_sample.h"
#include "core/statistics.h"

namespace nmt::tuner {
namespace {

constexpr double kSlower = 1.05;            // less is nobody's concern
constexpr std::size_t kRepetitionsMin = 6;  // the least and the greatest of so many cover 95 %

struct Cell {
  std::string mpi;
  std::string operation;
  std::int64_t nodes = 0;
  std::int64_t ranks_per_node = 0;
  std::uint64_t size_bytes = 0;
  auto operator<=>(const Cell&) const = default;
};

struct Time {
  double median_ns = 0;
  double low_ns = 0;
  double high_ns = 0;
};
using Times = std::map<Cell, Time>;

// What should take at least as long as another cell.
struct Rival {
  Guideline guideline = Guideline::kEmulation;
  TimedCollectives collectives;
  Time time;
};

// How large the message of a part of an emulation is.
enum class PartSize {
  kSame,
  kTwice,     // as the largest block of an allgatherv, whose size is the mean of them
  kAllBlocks  // of all ranks
};

struct EmulationPart {
  std::string_view operation;
  PartSize size = PartSize::kSame;
};

// Operations that together do the work of another one.
struct Emulation {
  std::string_view of;
  std::vector<EmulationPart> by;
};

const std::vector<Emulation>& emulations() {
  using enum PartSize;
  static const std::vector<Emulation> all = {
      {"allreduce", {{"reduce"}, {"bcast"}}},
      {"bcast", {{"allreduce"}}},  // of zeros on all ranks but the root
      {"reduce", {{"allreduce"}}},
      {"allgather", {{"allreduce", kAllBlocks}}},  // of zeros in the others' places
      {"allgather", {{"gather"}, {"bcast", kAllBlocks}}},
      {"allgather", {{"alltoall"}}},  // of the same data for each
      {"allgatherv", {{"allreduce", kAllBlocks}}},
      {"allgatherv", {{"gather", kTwice}, {"bcast", kAllBlocks}}},  // of padded blocks
      {"barrier", {{"allreduce"}}},                                 // of anything
      {"gather", {{"allgather"}}},
      {"scatter", {{"bcast", kAllBlocks}}},
      {"reduce_scatter_block", {{"allreduce", kAllBlocks}}},
      {"reduce_scatter", {{"allreduce", kAllBlocks}}},
  };
  return all;
}

Times times_of_library(std::span<const SampleSet> sets) {
  std::map<Cell, std::vector<Repetition>> pooled;
  for (const SampleSet& set : sets) {
    for (const Sample& sample : set.samples) {
      const Condition& c = sample.condition;
      if (!compares_algorithms(sample) || c.algorithm != kLibraryAlgorithm) continue;
      std::vector<Repetition>& all =
          pooled[{c.mpi, c.operation, c.nodes, c.ranks_per_node, sample.size_bytes}];
      all.insert(all.end(), sample.repetitions.begin(), sample.repetitions.end());
    }
  }
  Times times;
  for (const auto& [cell, repetitions] : pooled) {
    const Summary summary = summarize(repetitions);
    if (summary.n < kRepetitionsMin) continue;
    times[cell] = {summary.median_ns, summary.low_ns, summary.high_ns};
  }
  return times;
}

bool is_slower(const Time& own, const Time& other) {
  return own.low_ns > other.high_ns && own.median_ns > kSlower * other.median_ns;
}

TimedCollectives timed(const Cell& cell, const Time& time) {
  return {.operations = cell.operation,
          .nodes = cell.nodes,
          .ranks_per_node = cell.ranks_per_node,
          .size_bytes = cell.size_bytes,
          .ns = time.median_ns};
}

std::uint64_t size_bytes_of(PartSize size, const Cell& own) {
  switch (size) {
    case PartSize::kSame:
      return own.size_bytes;
    case PartSize::kTwice:
      return 2 * own.size_bytes;
    case PartSize::kAllBlocks:
      return own.size_bytes * static_cast<std::uint64_t>(own.nodes * own.ranks_per_node);
  }
  return 0;
}

// All parts in a row, each at the smallest size that was measured and is large enough.
std::optional<Rival> emulated(const Emulation& emulation, const Cell& own, const Times& times) {
  Rival sum;
  std::string names;
  Cell cell = own;
  for (const EmulationPart& part : emulation.by) {
    cell.operation = part.operation;
    cell.size_bytes = size_bytes_of(part.size, own);
    const auto found = times.lower_bound(cell);
    if (found == times.end()) return std::nullopt;
    cell.size_bytes = found->first.size_bytes;
    if (cell != found->first) return std::nullopt;  // no larger ones of this operation and shape
    names += (names.empty() ? "" : " + ") + cell.operation;
    sum.time.median_ns += found->second.median_ns;
    sum.time.low_ns += found->second.low_ns;
    sum.time.high_ns += found->second.high_ns;
  }
  cell.operation = names;
  sum.collectives = timed(cell, sum.time);
  return sum;
}

bool has_larger_message(const Cell& own, const Cell& other) {
  Cell same_size = other;
  same_size.size_bytes = own.size_bytes;
  return same_size == own && other.size_bytes > own.size_bytes;
}

bool has_more_ranks(const Cell& own, const Cell& other) {
  return other != own && other.mpi == own.mpi && other.operation == own.operation &&
         other.size_bytes == own.size_bytes && other.nodes >= own.nodes &&
         other.ranks_per_node >= own.ranks_per_node;
}

std::vector<Rival> rivals_of(const Cell& own, const Times& times) {
  std::vector<Rival> rivals;
  for (const Emulation& emulation : emulations()) {
    if (emulation.of != own.operation) continue;
    if (std::optional<Rival> rival = emulated(emulation, own, times)) rivals.push_back(*rival);
  }
  for (const auto& [other, time] : times) {
    if (has_larger_message(own, other)) {
      rivals.push_back({Guideline::kSize, timed(other, time), time});
    } else if (has_more_ranks(own, other)) {
      rivals.push_back({Guideline::kRanks, timed(other, time), time});
    }
  }
  return rivals;
}

}  // namespace

std::string_view to_string(Guideline guideline) {
  switch (guideline) {
    case Guideline::kEmulation:
      return "emulation";
    case Guideline::kSize:
      return "size";
    case Guideline::kRanks:
      return "ranks";
  }
  return "";
}

GuidelineFindings check_guidelines(std::span<const SampleSet> sets) {
  const Times times = times_of_library(sets);
  GuidelineFindings findings{.cells = times.size(), .broken = {}};
  for (const auto& [own, own_time] : times) {
    std::map<Guideline, TimedCollectives> fastest;
    for (const Rival& rival : rivals_of(own, times)) {
      if (!is_slower(own_time, rival.time)) continue;
      TimedCollectives& known =
          fastest.try_emplace(rival.guideline, rival.collectives).first->second;
      if (rival.collectives.ns < known.ns) known = rival.collectives;
    }
    for (const auto& [guideline, faster] : fastest) {
      findings.broken.push_back({guideline, own.mpi, timed(own, own_time), faster});
    }
  }
  return findings;
}

}  // namespace nmt::tuner
