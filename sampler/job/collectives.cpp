// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/job/collectives.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/collective_sample.h"
#include "core/error.h"
#include "core/statistics.h"
#include "sampler/job/changes.h"
#include "sampler/job/rounds.h"
#include "sampler/job/sub_shapes.h"
#include "stacks/stacks.h"

namespace nmt::sampler {
namespace {

// From one number on: most calls of most programs are short. Denser where the best segment changes
// most.
constexpr std::uint64_t kSizesBytes[] = {8,        128,      1 << 10,   4 << 10,   16 << 10,
                                         32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10,
                                         1 << 20,  2 << 20,  4 << 20,   16 << 20};
// Of blocks that nodes exchange: fewer, because contention may make each visit last for seconds.
constexpr std::uint64_t kExchangedSizesBytes[] = {8,        128,      1 << 10,   4 << 10, 16 << 10,
                                                  32 << 10, 64 << 10, 256 << 10, 1 << 20};
// All algorithms are compared by these two segments before others are tried.
constexpr std::uint64_t kUsualSegmentBytes = 32 << 10;
constexpr std::uint64_t kLargeSegmentBytes = 128 << 10;
constexpr std::uint64_t kSegmentsBytes[] = {
    8 << 10, 16 << 10, kUsualSegmentBytes, 64 << 10, kLargeSegmentBytes, 256 << 10, 512 << 10};
// The smallest is for switches with short queues: `pairwise` waits for one segment each way before
// it sends the next.
constexpr std::uint64_t kExchangedSegmentsBytes[] = {8 << 10, kUsualSegmentBytes,
                                                     kLargeSegmentBytes, 512 << 10};
// A Reduce also computes for each segment, so that larger ones may pay (paper hierknem-collectives,
// table 1).
constexpr std::uint64_t kReducedSegmentsBytes[] = {
    8 << 10,   16 << 10, kUsualSegmentBytes, 64 << 10, kLargeSegmentBytes, 256 << 10,
    512 << 10, 1 << 20};
constexpr std::uint64_t kNoData[] = {0};
constexpr std::uint64_t kSegmentsMax = 512;          // of one message: more are always slower
constexpr std::uint64_t kWholeBytesMax = 512 << 10;  // largest message worth sending whole
// Of all blocks in one rank's buffer: more would take most of the time of a shape. Where there are
// many ranks, of blocks that are not exchanged, so much each.
constexpr std::uint64_t kBlocksBytesMax = 16 << 20;
constexpr std::uint64_t kBlockBytes = 64 << 10;
// By algorithms for short messages. They take twice as much: a rule may reach to the next size.
constexpr std::uint64_t kShortBytesMax = 8 << 10;
// Visits before the MPI's own is given up: users want to know how much slower it is, and ours takes
// its place only where that is sure. If it takes long, its share of the time ends them before.
constexpr std::uint32_t kVisitsOfLibraryMin = 12;
// Before this visit a way counts by its quickest repetition or its warm-up, because a single slow
// time may be a lost packet's.
constexpr std::uint32_t kVisitsToTell = 3;
// Before its first visit there is one time only. TCP takes 200 ms or a little more to notice a lost
// packet.
constexpr double kLossNs = 200e6;
constexpr double kLossNsMax = 250e6;

const std::map<std::string, std::vector<std::string>>& algorithms() {
  // The windows show how much contention the network bears.
  static const std::vector<std::string> exchanges_by = {"nodes", "pairwise", "direct2", "direct8"};
  static const std::map<std::string, std::vector<std::string>> all = {
      {"bcast", {"chain", "binary", "binomial", "inline"}},
      {"reduce", {"chain", "binary", "binomial", "ring", "inline"}},
      {"allreduce", {"chain", "binary", "binomial", "ring", "recursive_doubling"}},
      {"allgather", {"leaders", "ring", "neighbors"}},
      {"allgatherv", {"leaders", "ring", "neighbors"}},
      {"alltoall", exchanges_by},
      {"alltoallv", exchanges_by},
      {"barrier", {"dissemination"}},
      {"gather", {"nodes"}},
      {"reduce_scatter", {"leaders"}},
      {"reduce_scatter_block", {"leaders"}},
      {"scatter", {"nodes"}}};
  return all;
}

std::span<const std::uint64_t> grid_of(const std::string& operation) {
  if (has_no_data(operation)) return kNoData;
  if (sends_blocks_of_nodes(operation)) return kExchangedSizesBytes;
  return kSizesBytes;
}

// Those of the grid up to the largest size asked for, and that one itself: what is chosen for the
// largest size measured holds for all larger ones.
std::vector<std::uint64_t> sizes_of(const std::string& operation, std::uint64_t most_bytes) {
  const std::span<const std::uint64_t> grid = grid_of(operation);
  std::vector<std::uint64_t> sizes;
  for (const std::uint64_t size_bytes : grid) {
    if (size_bytes <= most_bytes) sizes.push_back(size_bytes);
  }
  const bool is_between = !sizes.empty() && sizes.back() < most_bytes && most_bytes < grid.back();
  if (is_between) sizes.push_back(most_bytes);
  return sizes;
}

void add_library_ways(const std::string& operation, const CollectivesOptions& options,
                      std::vector<CollectiveWay>* ways) {
  const auto known = options.library_algorithms.find(operation);
  if (known == options.library_algorithms.end()) return;
  for (const std::string& algorithm : known->second) {
    ways->push_back({operation, algorithm, 0, 1});
    if (!stacks::takes_segments(library_name_of(algorithm))) continue;
    for (const std::uint64_t segment_bytes : segments_bytes_of(operation)) {
      ways->push_back({operation, algorithm, segment_bytes, 1});
    }
  }
}

// All ways, in the same order on all ranks.
std::vector<CollectiveWay> all_ways(const CollectivesOptions& options) {
  std::vector<CollectiveWay> ways;
  for (const auto& [operation, of_operation] : algorithms()) {
    if (std::ranges::find(options.operations, operation) == options.operations.end()) continue;
    ways.push_back({operation, std::string(kLibraryAlgorithm), 0, 1});
    add_library_ways(operation, options, &ways);
    for (const std::string& algorithm : of_operation) {
      std::vector<std::int64_t> numbers = {1};
      numbers.insert(numbers.end(), options.other_leaders.begin(), options.other_leaders.end());
      for (const std::int64_t leaders : numbers) {
        ways.push_back({operation, algorithm, 0, leaders});
        if (is_for_short_messages(algorithm)) continue;
        for (const std::uint64_t segment_bytes : segments_bytes_of(operation)) {
          ways.push_back({operation, algorithm, segment_bytes, leaders});
        }
      }
    }
  }
  return ways;
}

enum class Aspect { kSegment, kLibrary, kLeaders, kSize };
using Subject = std::pair<std::string, std::uint64_t>;  // operation, size

class Ways {
 public:
  Ways(const control::MpiJob& job, const JobShape& shape, const CollectivesOptions& options)
      : job_(job), shape_(shape), options_(options), ways_(all_ways(options)) {}

  JobExecutor::Collectives collectives() const {
    return {.run = [this](const Order& order, const std::byte* from,
                          std::byte* to) { options_.run(way(order), order.size_bytes, from, to); },
            .room_bytes =
                [this](const Order& order) {
                  return order.size_bytes * blocks_of(way(order).operation);
                }};
  }

  std::vector<JobCell> cells() const {
    std::vector<JobCell> cells;
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      const std::string& operation = ways_[i].operation;
      if (ways_[i].leaders > 1) continue;
      for (const std::uint64_t size_bytes : sizes_of(operation)) {
        if (!comes_first(ways_[i], size_bytes)) continue;
        if (blocks_of(operation) * size_bytes > blocks_bytes_max(operation)) continue;
        if (makes_sense(ways_[i], size_bytes)) cells.push_back(cell(i, size_bytes));
      }
    }
    std::ranges::stable_sort(cells, {}, [](const JobCell& each) { return each.order.size_bytes; });
    return cells;
  }

  // Adds, in this order: ways that differ from the best of ours at each size in the segment only;
  // when those have been run, the MPI's other algorithms; then ways that differ in the leaders
  // only; at last, sizes between those where the choice changes. For all operations, or for one
  // that there is time for; or what comes later for it, if there is time for that only.
  std::vector<JobRounds::Choice> more(const std::vector<JobCell>& cells) const {
    JobRounds::Choice all;
    std::vector<JobRounds::Choice> first, later;
    for (const auto& [operation, of_operation] : algorithms()) {
      std::vector<JobRounds::Choice> choices = choices_for(operation, cells);
      if (choices.empty()) continue;
      all.insert(all.end(), choices.front().begin(), choices.front().end());
      first.push_back(std::move(choices.front()));
      std::move(choices.begin() + 1, choices.end(), std::back_inserter(later));
    }
    if (all.empty()) return {};
    std::vector<JobRounds::Choice> choices = {std::move(all)};
    std::ranges::move(first, std::back_inserter(choices));
    std::ranges::move(later, std::back_inserter(choices));
    return choices;
  }

  // Records the choices of more() that were added.
  void note(const std::vector<JobCell>& cells) {
    for (const JobCell& each : cells) {
      const CollectiveWay& played = way(each.order);
      if (played.algorithm == kLibraryAlgorithm) continue;
      if (is_of_library(played.algorithm)) {
        played_.emplace(Aspect::kLibrary, played.operation);
      } else if (!comes_first(played, each.order.size_bytes)) {
        played_.emplace(Aspect::kSegment, played.operation);
      }
      if (played.leaders > 1) played_.emplace(Aspect::kLeaders, played.operation);
      const std::vector<std::uint64_t> first = sizes_of(played.operation);
      if (std::ranges::find(first, each.order.size_bytes) == first.end()) {
        played_.emplace(Aspect::kSize, played.operation);
      }
    }
  }

  // Drops ways that are clearly slower than the fastest of their operation and size: by a factor of
  // 2 after one visit, 1.5 after two, and so on, because time is better spent on close ones.
  // Returns whether it dropped one. Uses measured times, or warm-up times.
  bool give_up(std::vector<JobCell>& cells, double (*time_ns)(const JobCell&)) {
    std::map<Subject, double> fastest_ns;
    for (const JobCell& each : cells) {
      const double ns = time_ns(each);
      remember(each, ns);
      double& least_ns =
          fastest_ns.try_emplace(subject(each), std::numeric_limits<double>::max()).first->second;
      least_ns = std::min(least_ns, ns);
    }
    for (const JobCell& each : cells) remember(each, time_ns(each));  // none is out of date now
    const std::size_t given_up = std::erase_if(cells, [&](const JobCell& each) {
      const bool library = way(each.order).algorithm == kLibraryAlgorithm;
      if (library && each.visits < kVisitsOfLibraryMin) return false;
      const double factor = 1 + 1.0 / std::max<std::uint32_t>(1, each.visits);
      double ns = std::min(time_ns(each), quickest_ns(each));
      if (each.visits == 0 && ns >= kLossNs) ns -= kLossNsMax;
      return ns > factor * fastest_ns.at(subject(each));
    });
    return given_up > 0;
  }

  static double quickest_ns(const JobCell& cell) {
    if (cell.visits >= kVisitsToTell) return std::numeric_limits<double>::infinity();
    double least_ns = cell.warm_up_ns;
    for (const Repetition& each : cell.samples.front().repetitions) {
      least_ns = std::min(least_ns, each.each_ns());
    }
    return least_ns;
  }
  static double measured_ns(const JobCell& cell) {
    return summarize(cell.samples.front().repetitions).median_ns;
  }
  static double usual_ns(const JobCell& cell) { return cell.usual_ns; }

 private:
  std::uint64_t message_bytes(const CollectiveWay& way, std::uint64_t size_bytes) const {
    return size_bytes * blocks_in_message(way.operation, way.algorithm, ranks_per_node());
  }

  // A segment as large as the message means the whole message; only one way stands for all of
  // these. A ring of one leader is a tree.
  bool makes_sense(const CollectiveWay& way, std::uint64_t size_bytes) const {
    if (is_for_short_messages(way.algorithm)) return size_bytes <= kShortBytesMax;
    const bool reduces_in_ring = way.algorithm == "ring" && !gathers_for_all(way.operation);
    if (reduces_in_ring && shape_.nodes.size() == 1 && way.leaders == 1) return false;
    const bool whole_at_any_size =
        is_of_library(way.algorithm) && !stacks::takes_segments(library_name_of(way.algorithm));
    if (way.segment_bytes == 0) return whole_at_any_size || size_bytes <= kWholeBytesMax;
    const std::uint64_t all_bytes = message_bytes(way, size_bytes);
    return way.segment_bytes < all_bytes && all_bytes / way.segment_bytes <= kSegmentsMax;
  }

  std::vector<std::uint64_t> sizes_of(const std::string& operation) const {
    return sampler::sizes_of(operation, options_.size_bytes_max);
  }

  // All algorithms are tried first, by a small and by a large segment: the algorithm decides more
  // than other segments do, and nothing is predicted of one that was not tried on several shapes.
  bool comes_first(const CollectiveWay& way, std::uint64_t size_bytes) const {
    if (is_of_library(way.algorithm)) return way.algorithm == kLibraryAlgorithm;
    if (is_for_short_messages(way.algorithm)) return true;
    // Of an exchange the smallest, because of the queues of switches.
    const std::uint64_t least_bytes = exchanges(way.operation) ? 0 : kUsualSegmentBytes;
    std::uint64_t small_bytes = 0, large_bytes = 0;  // 0: whole
    for (const std::uint64_t segment_bytes : segments_bytes_of(way.operation)) {
      CollectiveWay with = way;
      with.segment_bytes = segment_bytes;
      if (!makes_sense(with, size_bytes)) continue;
      if (small_bytes == 0 && segment_bytes >= least_bytes) small_bytes = segment_bytes;
      if (segment_bytes == kLargeSegmentBytes) large_bytes = segment_bytes;
    }
    return way.segment_bytes == small_bytes || way.segment_bytes == large_bytes;
  }

  // Ranks whose data one rank has in its buffer.
  std::uint64_t blocks_of(const std::string& operation) const {
    return has_blocks(operation) ? ranks() : 1;
  }

  std::uint64_t blocks_bytes_max(const std::string& operation) const {
    if (!has_blocks(operation)) return std::numeric_limits<std::uint64_t>::max();
    return exchanges(operation) ? kBlocksBytesMax
                                : std::max(kBlocksBytesMax, ranks() * kBlockBytes);
  }

  std::uint64_t ranks_per_node() const {
    std::size_t most = 0;
    for (const std::vector<int>& node : shape_.nodes) most = std::max(most, node.size());
    return most;
  }

  const CollectiveWay& way(const Order& order) const {
    return ways_[static_cast<std::size_t>(order.subject)];
  }

  // Of one operation and size.
  struct Best {
    Order order;
    double usual_ns = 0;
    double time_ns = 0;
  };

  // None is empty.
  std::vector<JobRounds::Choice> choices_for(const std::string& operation,
                                             const std::vector<JobCell>& cells) const {
    std::vector<JobRounds::Choice> choices;
    for (const Aspect aspect : {Aspect::kSegment, Aspect::kLibrary, Aspect::kLeaders}) {
      if (played_.contains({aspect, operation})) continue;
      JobRounds::Choice choice = others_of(operation, aspect);
      if (!choice.empty()) choices.push_back(std::move(choice));
    }
    if (choices.empty() && !played_.contains({Aspect::kSize, operation})) {
      JobRounds::Choice choice = between(operation, cells);
      if (!choice.empty()) choices.push_back(std::move(choice));
    }
    return choices;
  }

  // Ways that differ in this aspect only from the best of ours at each size.
  JobRounds::Choice others_of(const std::string& operation, Aspect aspect) const {
    JobRounds::Choice choice;
    for (const auto& [subject, best] : best_of_ours_) {
      if (subject.first != operation) continue;
      for (std::size_t i = 0; i < ways_.size(); ++i) {
        if (!is_other(ways_[i], best, aspect)) continue;
        choice.push_back(cell(i, best.order.size_bytes));
        choice.back().usual_ns = best.usual_ns;
      }
    }
    return choice;
  }

  // The MPI's other algorithms are run whole, and with the segment that is best for ours.
  bool is_other(const CollectiveWay& other, const Best& best, Aspect aspect) const {
    const CollectiveWay& known = way(best.order);
    const std::uint64_t size_bytes = best.order.size_bytes;
    if (!makes_sense(other, size_bytes)) return false;
    if (aspect == Aspect::kLibrary) {
      const bool fits = other.segment_bytes == 0 || other.segment_bytes == known.segment_bytes;
      return fits && other.operation == known.operation &&
             !library_name_of(other.algorithm).empty();
    }
    CollectiveWay alike = known;
    if (aspect == Aspect::kSegment) alike.segment_bytes = other.segment_bytes;
    if (aspect == Aspect::kLeaders) alike.leaders = other.leaders;
    const bool is_known =
        other == known || (aspect == Aspect::kSegment && comes_first(other, size_bytes));
    return other == alike && !is_known;
  }

  // At sizes between two where the choice changes: the ways that remain at one of the two. None
  // before all ways of the operation have enough visits.
  JobRounds::Choice between(const std::string& operation, const std::vector<JobCell>& cells) const {
    const auto is_new = [&](const JobCell& each) {
      return way(each.order).operation == operation && each.visits < kVisitsToTell;
    };
    if (std::ranges::any_of(cells, is_new)) return {};
    std::vector<TimesAtSize> sizes;
    for (const std::uint64_t size_bytes : sizes_of(operation)) {
      TimesAtSize times = times_at(operation, size_bytes, cells);
      if (!times.by_way_ns.empty()) sizes.push_back(std::move(times));
    }
    JobRounds::Choice choice;
    for (const std::size_t i : changes_after(sizes)) {
      const std::uint64_t middle_bytes = size_between(sizes[i].size_bytes, sizes[i + 1].size_bytes);
      if (middle_bytes == sizes[i].size_bytes) continue;
      std::map<std::size_t, double> usual_ns;
      for (const TimesAtSize* near : {&sizes[i], &sizes[i + 1]}) {
        for (const auto& [index, ns] : near->by_way_ns) {
          usual_ns[stands_for(index, middle_bytes)] = ns;
        }
      }
      for (const auto& [index, ns] : usual_ns) {
        if (!makes_sense(ways_[index], middle_bytes)) continue;
        choice.push_back(cell(index, middle_bytes));
        choice.back().usual_ns = ns;
      }
    }
    return choice;
  }

  // For all remaining ways of an operation at this size, including those that send the message
  // whole.
  TimesAtSize times_at(const std::string& operation, std::uint64_t size_bytes,
                       const std::vector<JobCell>& cells) const {
    std::map<std::size_t, double> played_ns;
    for (const JobCell& each : cells) {
      if (subject(each) != Subject{operation, size_bytes}) continue;
      played_ns[static_cast<std::size_t>(each.order.subject)] = measured_ns(each);
    }
    TimesAtSize times{.size_bytes = size_bytes};
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      const auto found = played_ns.find(stands_for(i, size_bytes));
      if (ways_[i].operation == operation && found != played_ns.end()) {
        times.by_way_ns[i] = found->second;
      }
    }
    return times;
  }

  // The way that is run instead: a segment as large as the message means the whole message.
  std::size_t stands_for(std::size_t index, std::uint64_t size_bytes) const {
    if (ways_[index].segment_bytes < message_bytes(ways_[index], size_bytes)) return index;
    CollectiveWay whole = ways_[index];
    whole.segment_bytes = 0;
    return static_cast<std::size_t>(std::ranges::find(ways_, whole) - ways_.begin());
  }

  // The best of ours, even if it is given up: others like it may still be faster than the MPI's
  // own.
  void remember(const JobCell& cell, double time_ns) {
    if (is_of_library(way(cell.order).algorithm)) return;
    const Best latest{cell.order, cell.usual_ns, time_ns};
    Best& best = best_of_ours_.try_emplace(subject(cell), latest).first->second;
    if (best.order.subject == cell.order.subject || time_ns < best.time_ns) best = latest;
  }

  std::uint64_t ranks() const { return static_cast<std::uint64_t>(job_.size()); }

  Subject subject(const JobCell& cell) const {
    return {way(cell.order).operation, cell.order.size_bytes};
  }

  JobCell cell(std::size_t index, std::uint64_t size_bytes) const {
    JobCell cell;
    cell.order = {.operation = JobOperation::kCollective,
                  .subject = static_cast<std::int32_t>(index),
                  .size_bytes = size_bytes};
    Condition& condition =
        cell.samples
            .emplace_back(
                mpi_sample(job_, choice_benchmark(ways_[index].operation), job_.size(), size_bytes))
            .condition;
    condition.operation = ways_[index].operation;
    condition.algorithm = ways_[index].algorithm;
    condition.segment_bytes = static_cast<std::int64_t>(ways_[index].segment_bytes);
    condition.leaders = ways_[index].leaders;
    condition.nodes = static_cast<std::int64_t>(shape_.nodes.size());
    condition.ranks_per_node = static_cast<std::int64_t>(ranks_per_node());
    return cell;
  }

  const control::MpiJob& job_;
  const JobShape& shape_;
  const CollectivesOptions& options_;
  std::vector<CollectiveWay> ways_;
  std::map<Subject, Best> best_of_ours_;
  std::set<std::pair<Aspect, std::string>> played_;  // other ways of operations that were run
};

}  // namespace

std::vector<std::string> sampled_operations() {
  std::vector<std::string> operations;
  for (const auto& [operation, of_operation] : algorithms()) operations.push_back(operation);
  return operations;
}

std::span<const std::uint64_t> segments_bytes_of(std::string_view operation) {
  if (has_no_data(operation)) return {};
  if (sends_blocks_of_nodes(operation)) return kExchangedSegmentsBytes;
  if (operation == "reduce") return kReducedSegmentsBytes;
  return kSegmentsBytes;
}

CampaignReport run_collectives(const control::MpiJob& job, const std::string& mpi_name,
                               const CollectivesOptions& options, Observer* observer) {
  if (job.size() < 2) {
    throw Error(Fault::kUsage, "collectives: needs two ranks or more; run mpirun -n 2 nmad-sample");
  }
  const JobShape shape = JobShape::of(job);
  Ways ways(job, shape, options);
  JobExecutor executor(job, shape);
  executor.set_collectives(ways.collectives());
  if (!job.leads()) {
    executor.follow();
    return {};
  }
  const Rail rail = mpi_rail(mpi_name);
  JobRounds rounds(job, shape, executor, rail, options.budget_ns, options.seed, *observer);
  return rounds.run(
      {.prepare = [&] { return ways.cells(); },
       .leave_out =
           [&](std::vector<JobCell>& cells) { return ways.give_up(cells, Ways::usual_ns); },
       .more = [&](const std::vector<JobCell>& cells) { return ways.more(cells); },
       .after_round =
           [&](std::vector<JobCell>& cells) {
             ways.note(cells);
             ways.give_up(cells, Ways::measured_ns);
           },
       .even_time = true,
       .subject = to_string(largest_shape(shape))});
}

}  // namespace nmt::sampler
