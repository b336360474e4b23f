// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <random>
#include <set>
#include <string_view>

#include "core/collective_sample.h"
#include "core/error.h"
#include "core/statistics.h"
#include "core/units.h"
#include "tools/bench/collective_comparison.h"
#include "tools/command/collectives_library.h"

namespace nmt::tools {
namespace {

using bench::CollectiveComparison;
using bench::ComparisonSchedule;
using bench::ComparisonTimes;

const std::vector<std::string> kOperations = {
    "bcast",          "reduce",    "allreduce", "allgather", "alltoall",
    "alltoallv",      "barrier",   "gather",    "scatter",   "reduce_scatter_block",
    "reduce_scatter", "allgatherv"};
constexpr std::uint64_t kSizesBytes[] = {4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20};
constexpr std::uint64_t kSizeBytesMin = 8;                   // one double
constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 30;  // of one call
constexpr std::uint64_t kGatheredBytesMax = 64 << 20;        // if no sizes are chosen
constexpr std::uint64_t kExchangedBytesMax = 16 << 20;       // the same, of an alltoall
constexpr std::uint64_t kRounds = 15, kRoundsMax = 10000;
constexpr std::uint64_t kSegmentBytes = 64 << 10;  // paper "HierKNEM", 4.2

// The profile's advice, and which of our algorithms is run in any case.
struct Chosen {
  sampler::CollectiveWay ours;
  std::string advice;  // "ours", "library"; "-": none
};

// By operation, the algorithms of the MPI that can be set in this job.
using LibraryAlgorithms = decltype(sampler::CollectivesOptions::library_algorithms);

bool can_follow(const nmt_collective_rule& rule, const LibraryAlgorithms& settable) {
  if (!is_of_library(rule.algorithm)) return true;
  const auto of_operation = settable.find(rule.operation);
  return of_operation != settable.end() &&
         std::ranges::find(of_operation->second, std::string(rule.algorithm)) !=
             of_operation->second.end();
}

// As a job under this MPI follows the profile (collectives/advice.h): on nodes of unequal numbers
// of ranks, in the way of the fullest one, if there is one for each number.
Chosen choose(const nmt_profile* profile, const std::string& mpi, const sampler::JobShape& shape,
              const LibraryAlgorithms& settable, const std::string& operation,
              std::uint64_t size_bytes) {
  std::set<std::uint32_t> ranks_per_node;
  for (const std::vector<int>& node : shape.nodes) {
    ranks_per_node.insert(static_cast<std::uint32_t>(node.size()));
  }
  const std::uint64_t segment_bytes = size_bytes > kSegmentBytes ? kSegmentBytes : 0;
  Chosen chosen{{operation, std::string(usual_algorithm(operation)), segment_bytes, 1}, "-"};
  nmt_collective_rule rule{};
  rule.struct_bytes = sizeof rule;
  for (const std::uint32_t ranks : ranks_per_node) {
    const nmt_collective_call call{.struct_bytes = sizeof(nmt_collective_call),
                                   .nodes = static_cast<std::uint32_t>(shape.nodes.size()),
                                   .ranks_per_node = ranks,
                                   .ranks = 0,
                                   .mpi = mpi.c_str(),
                                   .operation = operation.c_str(),
                                   .size_bytes = size_bytes};
    if (profile == nullptr || nmt_collective_rule_for(profile, &call, &rule) != NMT_OK) {
      return chosen;
    }
    if (std::string_view(rule.algorithm).empty()) return chosen;
    if (!can_follow(rule, settable)) {
      chosen.advice = "library";
      return chosen;
    }
  }
  return {{operation, rule.algorithm, rule.segment_bytes, std::max(1u, rule.leaders)}, "ours"};
}

std::vector<std::uint64_t> sizes_of(const CollectivesBenchOptions& options,
                                    const std::string& operation, int ranks) {
  if (has_no_data(operation)) return {0};
  const std::uint64_t copies = bench::blocks_of(operation, ranks);
  const std::uint64_t most = exchanges(operation) ? kExchangedBytesMax : kGatheredBytesMax;
  std::vector<std::uint64_t> sizes = options.sizes_bytes;
  if (sizes.empty()) {
    sizes.assign(std::begin(kSizesBytes), std::end(kSizesBytes));
    std::erase_if(sizes, [&](std::uint64_t size) { return size * copies > most; });
  }
  for (const std::uint64_t size_bytes : sizes) {
    if (size_bytes >= kSizeBytesMin && size_bytes <= kBytesMax / copies) continue;
    throw Error(Fault::kUsage,
                fmt::format("--sizes: {} to {}, not {}", kSizeBytesMin,
                            format_bytes(kBytesMax / copies), format_bytes(size_bytes)));
  }
  return sizes;
}

// Rank 0's part: which collectives to run, and the report.
class Leader {
 public:
  Leader(const control::MpiJob& job, const sampler::JobShape& shape,
         const LibraryAlgorithms& settable, const CollectivesBenchOptions& options,
         const Invocation& invocation)
      : job_(job), shape_(shape) {
    if (job.size() < 2)
      throw Error(Fault::kUsage,
                  "collectives need two ranks or more; run mpirun -n 2 nmad-bench collectives");
    const std::uint64_t rounds = options.rounds.value_or(kRounds);
    if (rounds < 1 || rounds > kRoundsMax) {
      throw Error(Fault::kUsage, fmt::format("--rounds: 1 to {}, not {}", kRoundsMax, rounds));
    }
    const OpenedProfile profile = open_profile(options.profile, invocation);
    schedule_ = {.rounds = static_cast<std::uint32_t>(rounds), .seed = std::random_device{}()};
    for (const std::string& operation : operations_from(options.operations, kOperations)) {
      for (const std::uint64_t size_bytes : sizes_of(options, operation, job.size())) {
        chosen_.push_back(
            choose(profile.get(), job.library(), shape, settable, operation, size_bytes));
        schedule_.comparisons.push_back({chosen_.back().ours, size_bytes});
      }
    }
  }

  const ComparisonSchedule& schedule() const { return schedule_; }
  Report report(const std::vector<ComparisonTimes>& times);

 private:
  void add(const CollectiveComparison& comparison, const Chosen& chosen,
           const ComparisonTimes& times);

  const control::MpiJob& job_;
  const sampler::JobShape& shape_;
  ComparisonSchedule schedule_;
  std::vector<Chosen> chosen_;
  Report report_;
  Table table_{{"operation", ">size", "algorithm", ">segment", ">ours", ">library",
                ">library / ours", "profile chooses"}};
  json::Value cells_ = json::Value::array();
  double sum_of_logarithms_ = 0;
};

void Leader::add(const CollectiveComparison& comparison, const Chosen& chosen,
                 const ComparisonTimes& times) {
  const double ours_ns = median(times.ours_ns), library_ns = median(times.library_ns);
  const Interval ours = median_interval(times.ours_ns);
  const Interval library = median_interval(times.library_ns);
  const double ratio = library_ns / ours_ns;
  const sampler::CollectiveWay& way = comparison.ours;
  sum_of_logarithms_ += std::log(ratio);
  table_.add({way.operation, format_bytes(comparison.size_bytes), way.algorithm,
              way.segment_bytes == 0 ? "whole" : format_bytes(way.segment_bytes),
              format_duration(ours_ns), format_duration(library_ns), fmt::format("{:.2f}", ratio),
              chosen.advice});
  report_.records.rows.push_back({way.operation, comparison.size_bytes, way.algorithm,
                                  way.segment_bytes, ours_ns, ours.low, ours.high, library_ns,
                                  library.low, library.high, ratio, chosen.advice});
  json::Value cell = json::Value::object();
  for (std::size_t i = 0; i < report_.records.header.size(); ++i) {
    cell.set(report_.records.header[i], report_.records.rows.back()[i]);
  }
  cells_.push_back(std::move(cell));
}

Report Leader::report(const std::vector<ComparisonTimes>& times) {
  report_.records.header = {"operation",      "size_bytes",      "algorithm",    "segment_bytes",
                            "ours_ns",        "ours_low_ns",     "ours_high_ns", "library_ns",
                            "library_low_ns", "library_high_ns", "ratio",        "advice"};
  for (std::size_t i = 0; i < times.size(); ++i) {
    add(schedule_.comparisons[i], chosen_[i], times[i]);
  }
  report_.text.heading(
      fmt::format("Collectives of {} ranks on {}, {}: ours and its own", job_.size(),
                  shape_.nodes.size() == 1 ? std::string("one node")
                                           : fmt::format("{} nodes", shape_.nodes.size()),
                  job_.library()));
  report_.text.table(std::move(table_));
  report_.payload.set("mpi", job_.library())
      .set("ranks", job_.size())
      .set("nodes", shape_.nodes.size())
      .set("rounds", schedule_.rounds)
      .set("cells", std::move(cells_));
  const double count = static_cast<double>(times.size());
  report_.summary = {{"cells", std::to_string(times.size())},
                     {"ratio_mean", fmt::format("{:.3f}", std::exp(sum_of_logarithms_ / count))}};
  return std::move(report_);
}

// Rank 0 finds errors; the other ranks get an empty schedule then.
Report run_in(const control::MpiJob& job, const CollectivesBenchOptions& options,
              const Invocation& invocation) {
  const sampler::JobShape shape = sampler::JobShape::of(job);
  Report silent;
  silent.silent = true;
  std::string text;
  const CollectivesLibrary library(job);
  const LibraryAlgorithms settable = library.library_algorithms(sampler::sampled_operations());
  if (!job.leads()) {
    job.broadcast(text);
    if (!text.empty())
      bench::run_comparisons(job, bench::schedule_from(text), library.collective_runner());
    return silent;
  }
  try {
    Leader leader(job, shape, settable, options, invocation);
    text = to_text(leader.schedule());
    job.broadcast(text);
    return leader.report(
        bench::run_comparisons(job, leader.schedule(), library.collective_runner()));
  } catch (const Error&) {
    if (text.empty()) job.broadcast(text);
    throw;
  }
}

}  // namespace

void declare(Options& options, CollectivesBenchOptions& target) {
  options.list(
      "--operations", target.operations, "NAME,...",
      "which of bcast, reduce, allreduce, allgather, alltoall, alltoallv, barrier, gather, "
      "scatter, reduce_scatter_block, reduce_scatter, allgatherv (default: all)\n"
      "Reductions are sums of doubles.");
  options.sizes(
      "--sizes", target.sizes_bytes,
      "sizes of the messages (default: 4K to 4M)\n"
      "Of an allgather and a gather: what one rank contributes; of a scatter and a "
      "reduce_scatter_block: what it gets; of an alltoall: what it has for each other rank; of an "
      "alltoallv, a reduce_scatter and an allgatherv: the mean of that.");
  options.count("--rounds", target.rounds, "repetitions of each cell (default: 15)");
  declare(options, target.profile);
  options
      .choice("--mpi", target.mpi, {"openmpi", "mpich"}, "the MPI of the job (default: detected)")
      .rare();
  options.example("mpirun -n 4 nmad-bench collectives --operations bcast --sizes 64K,1M");
}

// An error also ends the schedule on all ranks.
Report bench_collectives(const CollectivesBenchOptions& options, const Invocation& invocation) {
  const std::string mpi =
      !options.mpi.empty() ? options.mpi : control::launching_mpi().value_or("");
  if (mpi.empty()) {
    throw Error(Fault::kUsage,
                "no MPI launched this process; run mpirun -n 4 nmad-bench collectives");
  }
  std::exception_ptr failure;
  Report report;
  {
    const control::MpiJob job(mpi);
    try {
      report = run_in(job, options, invocation);
    } catch (const Error&) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  return report;
}

}  // namespace nmt::tools
