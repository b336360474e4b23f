// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/alltoall.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "core/alltoall.h"
#include "core/error.h"
#include "core/method.h"
#include "core/statistics.h"
#include "sampler/job/alltoall_grid.h"
#include "sampler/job/rounds.h"

namespace nmt::sampler {
namespace {

constexpr std::uint64_t kSizeBytesMax = std::uint64_t{1} << 30;
constexpr std::size_t kRepeated = 6;  // their order statistics cover 95 %
// Two, so that the start-up does not count into the gap; long enough to show a rail's speed.
constexpr std::uint64_t kConnectionBytes[] = {128 << 10, 256 << 10};

// Half of the nodes, three quarters and all of them: three numbers show how gamma grows. Two nodes
// have the network to themselves, so that there are at least three where a job has them.
std::vector<int> spread_numbers(int nodes, int ranks_per_node) {
  std::set<int> counts;
  for (const int quarters : {2, 3, 4}) counts.insert(std::max((nodes * quarters + 2) / 4, 2));
  std::vector<int> ranks;
  for (const int count : counts) {
    if (count <= nodes) ranks.push_back(count * ranks_per_node);
  }
  return ranks.empty() ? std::vector<int>{nodes * ranks_per_node} : ranks;
}

// The requested numbers, or some of the nodes and all of them.
std::vector<int> numbers_of_ranks(const JobShape& shape, const std::vector<int>& asked) {
  const int per_node = shape.ranks_per_node;
  if (per_node == 0) {
    throw Error(
        Fault::kUsage,
        "alltoall: nodes have different numbers of ranks, and a signature belongs to one number; "
        "start the same number of ranks on each node");
  }
  const int all = per_node * static_cast<int>(shape.nodes.size());
  if (all < 2)
    throw Error(Fault::kUsage, "alltoall: needs two ranks or more; run mpirun -n 2 nmad-sample");
  if (asked.empty()) {
    return spread_numbers(static_cast<int>(shape.nodes.size()), per_node);
  }
  for (const int count : asked) {
    if (count >= 2 && count <= all && count % per_node == 0) continue;
    throw Error(
        Fault::kUsage,
        fmt::format("--ranks: {} is not possible; write multiples of {} (whole nodes) from 2 to {}",
                    count, per_node, all));
  }
  return asked;
}

// The cells of a campaign.
class Cells {
 public:
  Cells(const control::MpiJob& job, const JobShape& shape) : job_(job), shape_(shape) {}

  std::vector<JobCell> first(std::span<const std::uint64_t> sizes_bytes,
                             std::span<const int> ranks) {
    for (const std::uint64_t size_bytes : sizes_bytes) add_size(size_bytes, ranks);
    const std::size_t nodes = shape_.nodes.size();
    for (std::size_t count = 1; count <= nodes * (nodes - 1); count *= 2) {
      for (const std::uint64_t size_bytes : kConnectionBytes) add_connections(count, size_bytes);
    }
    return std::move(cells_);
  }

  // Choices for what is known least, besides the existing cells.
  std::vector<JobRounds::Choice> more(const std::vector<JobCell>& known, Open open) {
    std::set<int> ranks;
    std::set<std::uint64_t> sizes_bytes;
    for (const JobCell& cell : known) {
      if (cell.order.operation != JobOperation::kDirect) continue;
      ranks.insert(cell.order.subject);
      sizes_bytes.insert(cell.order.size_bytes);
    }
    std::vector<JobRounds::Choice> choices;
    for (const NextAlltoall& wanted :
         least_known(multiples_of(known), shape_.ranks_per_node, open)) {
      if (wanted.ranks != 0) {
        for (const std::uint64_t size_bytes : sizes_bytes) add_alltoalls(wanted.ranks, size_bytes);
      } else {
        add_size(wanted.size_bytes, std::vector<int>(ranks.begin(), ranks.end()));
      }
      for (JobCell& cell : cells_) cell.usual_ns = expected_ns(known, cell.order);
      choices.push_back(std::exchange(cells_, {}));
    }
    return choices;
  }

 private:
  void add_size(std::uint64_t size_bytes, std::span<const int> ranks) {
    if (shape_.nodes.size() > 1) add_message(size_bytes);
    for (const int count : ranks) add_alltoalls(count, size_bytes);
  }

  void add_message(std::uint64_t size_bytes) {
    JobCell& cell = cells_.emplace_back();
    cell.order = {.operation = JobOperation::kMessage, .size_bytes = size_bytes};
    cell.samples.push_back(mpi_sample(job_, benchmark::kMessage, 2, size_bytes));
  }

  void add_alltoalls(int count, std::uint64_t size_bytes) {
    for (const auto& [operation, algorithm] : kAlgorithms) {
      JobCell& cell = cells_.emplace_back();
      cell.order = {.operation = operation, .subject = count, .size_bytes = size_bytes};
      Sample& sample =
          cell.samples.emplace_back(mpi_sample(job_, benchmark::kCollective, count, size_bytes));
      sample.condition.operation = "alltoall";
      sample.condition.algorithm = algorithm;
      sample.condition.nodes = count / shape_.ranks_per_node;
      sample.condition.ranks_per_node = shape_.ranks_per_node;
    }
  }

  void add_connections(std::size_t count, std::uint64_t size_bytes) {
    JobCell& cell = cells_.emplace_back();
    cell.order = {.operation = JobOperation::kConnections,
                  .subject = static_cast<std::int32_t>(count),
                  .size_bytes = size_bytes};
    for (const char* which : {"mean", "slowest"}) {
      Sample& sample = cell.samples.emplace_back(
          mpi_sample(job_, benchmark::kConnections, static_cast<int>(count), size_bytes));
      sample.condition.variant = which;
      sample.condition.nodes = static_cast<std::int64_t>(shape_.nodes.size());
    }
  }

  // For alltoalls with enough repetitions to know their uncertainty. Empty if all ranks are on one
  // node, because no message between nodes was measured.
  std::vector<BoundMultiple> multiples_of(const std::vector<JobCell>& known) const {
    std::map<std::uint64_t, Summary> messages;
    for (const JobCell& cell : known) {
      const Summary message = summarize(cell.samples.front().repetitions);
      if (cell.order.operation == JobOperation::kMessage && message.n >= kRepeated) {
        messages[cell.order.size_bytes] = message;
      }
    }
    std::vector<BoundMultiple> multiples;
    for (const JobCell& cell : known) {
      const auto message = messages.find(cell.order.size_bytes);
      const Summary alltoall = summarize(cell.samples.front().repetitions);
      if (!is_alltoall(cell) || alltoall.n < kRepeated || message == messages.end()) continue;
      const double bound_ns =
          messages_of(cell.order.subject, shape_.ranks_per_node) * message->second.median_ns;
      multiples.push_back(
          {.algorithm = cell.samples.front().condition.algorithm,
           .ranks = cell.order.subject,
           .size_bytes = cell.order.size_bytes,
           .of_bound = alltoall.median_ns / bound_ns,
           .relative_half_width = std::hypot(half_width(alltoall), half_width(message->second))});
    }
    return multiples;
  }

  // The duration of the next larger known one.
  static double expected_ns(const std::vector<JobCell>& known, const Order& order) {
    double expected_ns = 0;
    for (const JobCell& cell : known) {
      const bool larger = cell.order.operation == order.operation &&
                          cell.order.subject >= order.subject &&
                          cell.order.size_bytes >= order.size_bytes;
      if (larger && (expected_ns == 0 || cell.usual_ns < expected_ns)) expected_ns = cell.usual_ns;
    }
    return expected_ns;
  }

  static double half_width(const Summary& of) {
    return std::log(std::max(1.0, of.high_ns) / std::max(1.0, of.low_ns)) / 2;
  }

  static bool is_alltoall(const JobCell& cell) {
    return cell.order.operation == JobOperation::kDirect ||
           cell.order.operation == JobOperation::kLibrary;
  }

  static constexpr std::pair<JobOperation, const char*> kAlgorithms[] = {
      {JobOperation::kDirect, "direct"}, {JobOperation::kLibrary, "library"}};
  const control::MpiJob& job_;
  const JobShape& shape_;
  std::vector<JobCell> cells_;
};

// Removes the largest size of alltoalls, if more sizes are left than a fit needs.
bool leave_out_largest(std::vector<JobCell>& cells) {
  std::vector<std::uint64_t> sizes_bytes;
  for (const JobCell& cell : cells) {
    if (cell.order.operation == JobOperation::kDirect) sizes_bytes.push_back(cell.order.size_bytes);
  }
  std::ranges::sort(sizes_bytes);
  sizes_bytes.erase(std::unique(sizes_bytes.begin(), sizes_bytes.end()), sizes_bytes.end());
  if (sizes_bytes.size() <= kAlltoallSizesMin) return false;
  std::erase_if(cells, [&](const JobCell& cell) {
    return cell.order.operation != JobOperation::kConnections &&
           cell.order.size_bytes == sizes_bytes.back();
  });
  return true;
}

}  // namespace

void check(const AlltoallOptions& options, const JobShape& shape) {
  for (const std::uint64_t size_bytes : options.sizes_bytes) {
    if (size_bytes > 0 && size_bytes <= kSizeBytesMax) continue;
    throw Error(Fault::kUsage,
                fmt::format("alltoall: messages of 1 B to 1 GiB, not {}", size_bytes));
  }
  numbers_of_ranks(shape, options.ranks);
}

CampaignReport run_alltoall(const control::MpiJob& job, const std::string& mpi_name,
                            const AlltoallOptions& options, Observer* observer) {
  const JobShape shape = JobShape::of(job);
  check(options, shape);
  const std::vector<int> ranks = numbers_of_ranks(shape, options.ranks);
  JobExecutor executor(job, shape);
  if (!job.leads()) {
    executor.follow();
    return {};
  }
  const std::span<const std::uint64_t> sizes_bytes =
      options.sizes_bytes.empty() ? usual_sizes_bytes(job.size())
                                  : std::span<const std::uint64_t>(options.sizes_bytes);
  const Rail rail = mpi_rail(mpi_name);
  JobRounds rounds(job, shape, executor, rail, options.budget_ns, options.seed, *observer);
  const Open open{.ranks = options.ranks.empty(), .sizes = options.sizes_bytes.empty()};
  JobRounds::Hooks hooks{.prepare = [&] { return Cells(job, shape).first(sizes_bytes, ranks); },
                         .more = {}};
  if (open.sizes) hooks.leave_out = leave_out_largest;
  if (open.sizes || open.ranks) {
    hooks.more = [&](const auto& known) { return Cells(job, shape).more(known, open); };
  }
  return rounds.run(hooks);
}

}  // namespace nmt::sampler
