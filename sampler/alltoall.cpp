// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/alltoall.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

#include "core/error.h"
#include "core/method.h"
#include "sampler/job_clock.h"

namespace nmt {
namespace {

constexpr std::uint64_t kSizesBytes[] = {1 << 10,  4 << 10,   16 << 10,  32 << 10,
                                         64 << 10, 128 << 10, 256 << 10, 512 << 10};
constexpr std::uint64_t kSizeBytesMax = std::uint64_t{1} << 30;
constexpr std::size_t kSizesMin = 4;    // what a fit needs
constexpr double kRoundsMin = 6;        // for the sizes chosen here
constexpr double kVisitNs = 2e6;        // short ones are repeated for as long as this,
constexpr std::uint32_t kVisitMax = 8;  // but no more often
constexpr double kStartNs = 1e6;        // from the word until the agreed start, at least
constexpr double kClockEveryNs = 5e9;   // clocks drift

enum class Kind : std::uint32_t { kEnd, kClock, kMessage, kDirect, kLibrary };

// What rank 0 has all ranks do next.
struct Order {
  Kind kind = Kind::kEnd;
  std::int32_t group = 0;  // of an alltoall; the partner of a message
  std::uint64_t size_bytes = 0;
  std::uint32_t repetitions = 1;
};

struct Cell {
  Order order;
  Sample sample;
  double usual_ns = 0;
};

// The part of every rank.
class Player {
 public:
  Player(const control::MpiJob& job, const JobShape& shape, std::span<const int> ranks)
      : job_(job), clock_(job, real_) {
    for (const int count : ranks) {
      std::vector<int> members;
      for (const std::vector<int>& node : shape.nodes) {
        if (members.size() == static_cast<std::size_t>(count)) break;
        members.insert(members.end(), node.begin(), node.end());
      }
      groups_[count] = job.mpi().group(members.data(), count);
    }
  }

  int group_of(int ranks) const { return groups_.at(ranks); }
  double now_ns() const { return clock_.now_ns(); }

  // Durations of the repetitions, on rank 0.
  std::vector<double> play(const Order& order) {
    switch (order.kind) {
      case Kind::kEnd:
        return {};
      case Kind::kClock:
        clock_.synchronise();
        return {};
      case Kind::kMessage:
        return play_message(order);
      case Kind::kDirect:
      case Kind::kLibrary:
        return play_alltoall(order);
    }
    return {};
  }

 private:
  void make_room(std::uint64_t size_bytes) {
    if (from_.size() >= size_bytes) return;
    from_.assign(size_bytes, std::byte{0x5a});
    to_.assign(size_bytes, std::byte{0});
  }

  std::vector<double> play_message(const Order& order) {
    const int partner = order.group;
    if (job_.rank() != 0 && job_.rank() != partner) return {};
    make_room(order.size_bytes);
    std::vector<double> durations_ns;
    for (std::uint32_t i = 0; i < order.repetitions; ++i) {
      const double start_ns = clock_.now_ns();
      if (job_.leads()) job_.mpi().send(from_.data(), order.size_bytes, partner);
      job_.mpi().receive(to_.data(), order.size_bytes, partner - job_.rank());
      if (!job_.leads()) job_.mpi().send(from_.data(), order.size_bytes, 0);
      durations_ns.push_back((clock_.now_ns() - start_ns) / 2);
    }
    return durations_ns;
  }

  std::vector<double> play_alltoall(const Order& order) {
    const nmt_mpi_table& mpi = job_.mpi();
    if (mpi.group_rank(order.group) >= 0) {
      make_room(order.size_bytes * static_cast<std::uint64_t>(job_.size()));
    }
    std::vector<double> durations_ns;
    for (std::uint32_t i = 0; i < order.repetitions; ++i) {
      double agreed_ns = clock_.now_ns() + 2 * word_ns_ + kStartNs;
      const double said_ns = clock_.now_ns();
      mpi.broadcast(&agreed_ns, sizeof agreed_ns);
      word_ns_ = std::max(word_ns_ / 2, clock_.now_ns() - said_ns);
      if (mpi.group_rank(order.group) < 0) continue;
      clock_.wait_until(agreed_ns);
      double start_ns = clock_.now_ns();
      (order.kind == Kind::kDirect ? mpi.exchange : mpi.alltoall)(order.group, from_.data(),
                                                                  to_.data(), order.size_bytes);
      double end_ns = clock_.now_ns();
      mpi.least_and_most(order.group, &start_ns, &end_ns);
      durations_ns.push_back(end_ns - start_ns);
    }
    return durations_ns;
  }

  const control::MpiJob& job_;
  RealClock real_;
  JobClock clock_;
  std::map<int, int> groups_;
  std::vector<std::byte> from_, to_;
  double word_ns_ = 0;  // that a word from rank 0 takes lately
};

// The part of rank 0 beside that.
class Leader {
 public:
  Leader(const control::MpiJob& job, const JobShape& shape, const AlltoallOptions& options,
         std::span<const int> ranks, Player& player, Observer& observer, const Rail& rail)
      : job_(job),
        shape_(shape),
        options_(options),
        player_(player),
        observer_(observer),
        rail_(rail),
        random_(options.seed) {
    const std::span<const std::uint64_t> sizes_bytes =
        options.sizes_bytes.empty() ? std::span<const std::uint64_t>(kSizesBytes)
                                    : std::span<const std::uint64_t>(options.sizes_bytes);
    for (const std::uint64_t size_bytes : sizes_bytes) {
      if (shape.nodes.size() > 1) add_message(size_bytes);
      for (const int count : ranks) {
        add_alltoall(Kind::kDirect, "direct", count, size_bytes);
        add_alltoall(Kind::kLibrary, "library", count, size_bytes);
      }
    }
  }

  // The others hear of the end, however it comes.
  CampaignReport run() {
    try {
      CampaignReport report = measure();
      tell({.kind = Kind::kEnd});
      return report;
    } catch (...) {
      tell({.kind = Kind::kEnd});
      throw;
    }
  }

 private:
  CampaignReport measure() {
    const double start_ns = player_.now_ns();
    tell({.kind = Kind::kClock});
    clock_ns_ = player_.now_ns();
    warm_up();
    if (options_.sizes_bytes.empty()) leave_out_what_takes_too_long(start_ns);
    const double end_ns = start_ns + options_.budget_ns;
    CampaignReport report;
    for (std::uint32_t round = 0; round < 2 || player_.now_ns() + round_ns() < end_ns; ++round) {
      std::shuffle(cells_.begin(), cells_.end(), random_);
      for (Cell& cell : cells_) {
        if ((report.interrupted = observer_.interrupted())) break;
        visit(cell, round);
        tell_progress(start_ns, round);
      }
      if (report.interrupted) break;
    }
    report.elapsed_ns = player_.now_ns() - start_ns;
    report.rails.push_back(rail_report(report));
    return report;
  }

  void add_message(std::uint64_t size_bytes) {
    Cell& cell = cells_.emplace_back();
    cell.order = {.kind = Kind::kMessage, .size_bytes = size_bytes};
    cell.sample = sample_of(benchmark::kMessage, 2, size_bytes);
  }

  void add_alltoall(Kind kind, const char* algorithm, int count, std::uint64_t size_bytes) {
    Cell& cell = cells_.emplace_back();
    cell.order = {.kind = kind, .group = player_.group_of(count), .size_bytes = size_bytes};
    cell.sample = sample_of(benchmark::kCollective, count, size_bytes);
    cell.sample.condition.operation = "alltoall";
    cell.sample.condition.algorithm = algorithm;
    cell.sample.condition.nodes = count / shape_.ranks_per_node;
    cell.sample.condition.ranks_per_node = shape_.ranks_per_node;
  }

  Sample sample_of(std::string_view benchmark, int ranks, std::uint64_t size_bytes) const {
    Sample sample{.size_bytes = size_bytes};
    sample.condition.benchmark = benchmark;
    sample.condition.mpi = job_.library();
    sample.condition.ranks = ranks;
    return sample;
  }

  std::vector<double> tell(Order order) {
    // A message goes to each of the other nodes in turn.
    if (order.kind == Kind::kMessage) {
      order.group = shape_.nodes[1 + partners_++ % (shape_.nodes.size() - 1)].front();
    }
    job_.mpi().broadcast(&order, sizeof order);
    return player_.play(order);
  }

  // Connections are made by their first use.
  void warm_up() {
    for (Cell& cell : cells_) {
      tell(cell.order);
      cell.usual_ns = tell(cell.order).front();
    }
  }

  double round_ns() const {
    double sum_ns = 0;
    for (const Cell& cell : cells_) sum_ns += cell.usual_ns * repetitions_of(cell) + kStartNs;
    return sum_ns;
  }

  std::uint32_t repetitions_of(const Cell& cell) const {
    const double fit = kVisitNs / std::max(1.0, cell.usual_ns);
    return std::clamp<std::uint32_t>(static_cast<std::uint32_t>(std::min(fit, 1e6)), 1, kVisitMax);
  }

  void leave_out_what_takes_too_long(double start_ns) {
    const double left_ns = options_.budget_ns - (player_.now_ns() - start_ns);
    for (std::size_t sizes = std::size(kSizesBytes); sizes > kSizesMin; --sizes) {
      if (round_ns() * kRoundsMin <= left_ns) return;
      std::erase_if(cells_, [&](const Cell& cell) {
        return cell.sample.size_bytes == kSizesBytes[sizes - 1];
      });
    }
  }

  void visit(Cell& cell, std::uint32_t round) {
    if (player_.now_ns() - clock_ns_ > kClockEveryNs) {
      tell({.kind = Kind::kClock});
      clock_ns_ = player_.now_ns();
    }
    Order order = cell.order;
    order.repetitions = repetitions_of(cell);
    for (const double duration_ns : tell(order)) {
      cell.sample.repetitions.push_back(
          {.total_ns = static_cast<std::uint64_t>(std::max(1.0, duration_ns)), .round = round});
      cell.usual_ns = 0.5 * (cell.usual_ns + duration_ns);
    }
    observer_.measured(rail_, std::span(&cell.sample, 1));
  }

  void tell_progress(double start_ns, std::uint32_t round) {
    const double taken_ns = player_.now_ns() - start_ns;
    observer_.progress({.rail = rail_.full_name(),
                        .phase = fmt::format("alltoalls, round {}", round + 1),
                        .done = std::min(1.0, taken_ns / options_.budget_ns),
                        .left_ns = std::max(0.0, options_.budget_ns - taken_ns),
                        .cells = cells_.size()});
  }

  RailReport rail_report(const CampaignReport& campaign) const {
    RailReport report{.rail = rail_.full_name(), .complete = !campaign.interrupted};
    report.cells = cells_.size();
    for (const Cell& cell : cells_) report.repetitions += cell.sample.repetitions.size();
    report.elapsed_ns = campaign.elapsed_ns;
    return report;
  }

  const control::MpiJob& job_;
  const JobShape& shape_;
  const AlltoallOptions& options_;
  Player& player_;
  Observer& observer_;
  const Rail& rail_;
  std::mt19937_64 random_;
  std::vector<Cell> cells_;
  std::size_t partners_ = 0;
  double clock_ns_ = 0;  // when clocks were compared last
};

// What was asked for, or half of the nodes and all of them.
std::vector<int> numbers_of_ranks(const JobShape& shape, const std::vector<int>& asked) {
  const int per_node = shape.ranks_per_node;
  if (per_node == 0) {
    throw Error(Fault::kUsage,
                "alltoall: nodes with different numbers of ranks; a signature belongs to one: "
                "start as many ranks on each");
  }
  const int all = per_node * static_cast<int>(shape.nodes.size());
  if (all < 2) throw Error(Fault::kUsage, "alltoall: one rank only; mpirun -n 2 or more");
  if (asked.empty()) {
    const int half = std::max(per_node * ((static_cast<int>(shape.nodes.size()) + 1) / 2), 2);
    return half < all && all > 3 ? std::vector<int>{half, all} : std::vector<int>{all};
  }
  for (const int count : asked) {
    if (count >= 2 && count <= all && count % per_node == 0) continue;
    throw Error(Fault::kUsage,
                fmt::format("--ranks: {} cannot be; whole nodes of {} ranks, 2 to {} ranks", count,
                            per_node, all));
  }
  return asked;
}

}  // namespace

JobShape JobShape::of(const control::MpiJob& job) {
  std::map<int, std::vector<int>> by_node;
  const std::vector<int> nodes = job.nodes();
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    by_node[nodes[rank]].push_back(static_cast<int>(rank));
  }
  JobShape shape;
  for (const auto& [lowest, ranks] : by_node) shape.nodes.push_back(ranks);
  const std::size_t per_node = shape.nodes.front().size();
  const bool same =
      std::ranges::all_of(shape.nodes, [&](const auto& ranks) { return ranks.size() == per_node; });
  if (same) shape.ranks_per_node = static_cast<int>(per_node);
  return shape;
}

CampaignReport run_alltoall(const control::MpiJob& job, const std::string& mpi_name,
                            const AlltoallOptions& options, Observer* observer) {
  for (const std::uint64_t size_bytes : options.sizes_bytes) {
    if (size_bytes > 0 && size_bytes <= kSizeBytesMax) continue;
    throw Error(Fault::kUsage,
                fmt::format("alltoall: messages of 1 B to 1 GiB, not {}", size_bytes));
  }
  const JobShape shape = JobShape::of(job);
  const std::vector<int> ranks = numbers_of_ranks(shape, options.ranks);
  Player player(job, shape, ranks);
  if (job.leads()) {
    const Rail rail = mpi_rail(mpi_name);
    return Leader(job, shape, options, ranks, player, *observer, rail).run();
  }
  for (Order order;;) {
    job.mpi().broadcast(&order, sizeof order);
    if (order.kind == Kind::kEnd) return {};
    player.play(order);
  }
}

}  // namespace nmt
