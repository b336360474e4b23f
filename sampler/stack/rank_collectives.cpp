// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/stack/rank_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <set>
#include <utility>

#include "core/clock.h"
#include "core/error.h"
#include "core/statistics.h"
#include "sampler/job/clock.h"
#include "sampler/job/executor.h"

namespace nmt::sampler {
namespace {

constexpr std::size_t kRoundsMax = 15;
constexpr double kStartNs = 1e6;       // minimum time from the order to the agreed start
constexpr double kClockEveryNs = 5e9;  // because clocks drift

enum class Word : std::int32_t { kEnd, kClock, kMeasure };
struct Command {
  Word word = Word::kEnd;
  std::int32_t group = 0;
  std::int32_t candidate = 0;  // its index
  std::uint64_t size_bytes = 0;
  double start_ns = 0;  // by rank 0's clock
  double rest_ns = 0;   // idle time from the start until ranks exchange their times
};

struct Cell {
  StackCell result;
  std::int32_t group = 0;
  std::int32_t candidate = 0;
  std::uint64_t message_bytes = 0;
  bool out = false;
};

// A segment of a component, for as long as this object lives.
class SegmentSetting {
 public:
  SegmentSetting(const control::MpiJob& job, std::string variable, std::uint64_t bytes)
      : job_(job), variable_(std::move(variable)) {
    std::array<char, 64> value{};
    const auto room = static_cast<int>(value.size());
    if (variable_.empty() || job.mpi().variable(variable_.c_str(), value.data(), room) < 0) return;
    before_ = std::atoi(value.data());
    is_set_ = job.mpi().set_variable(variable_.c_str(), static_cast<int>(bytes)) != 0;
  }
  ~SegmentSetting() {
    if (is_set_) job_.mpi().set_variable(variable_.c_str(), before_);
  }
  SegmentSetting(const SegmentSetting&) = delete;
  SegmentSetting& operator=(const SegmentSetting&) = delete;

  bool is_set() const { return is_set_; }
  std::uint64_t before_bytes() const { return static_cast<std::uint64_t>(std::max(0, before_)); }

 private:
  const control::MpiJob& job_;
  std::string variable_;
  int before_ = 0;
  bool is_set_ = false;
};

class Collectives {
 public:
  Collectives(const control::MpiJob& job, const CollectivesOrder& order)
      : job_(job), order_(order), shape_(JobShape::of(job)), clock_(job, shape_.nodes, real_) {
    make_groups();
    const auto ranks = static_cast<std::uint64_t>(job.size());
    const std::uint64_t most_bytes = *std::ranges::max_element(order.sizes_bytes) * ranks;
    from_.assign(most_bytes, std::byte{0});
    to_.assign(most_bytes, std::byte{0});
  }

  CollectivesResult lead();
  void follow();

 private:
  void make_groups();
  int group(const std::vector<int>& members, const CollectiveCandidate& candidate);
  std::string segment_variable(const CollectiveCandidate& candidate) const;
  bool has_no_effect(const CollectiveCandidate& candidate, std::uint64_t size_bytes);
  void set(const std::string& variable, std::uint64_t value);
  double measure(const Cell& cell);
  double play(const Command& command);
  double run_on_all(Command command);
  double obey(const Command& command);
  void measure_rounds(double end_ns);
  void drop_the_beaten();

  const control::MpiJob& job_;
  const CollectivesOrder& order_;
  JobShape shape_;
  RealClock real_;
  JobClock clock_;
  std::vector<Cell> cells_;  // candidates of one number of ranks and one size follow each other
  std::vector<std::byte> from_, to_;
  double word_ns_ = 0;  // recent duration of an order from rank 0
  double clock_ns_ = 0;
};

void Collectives::set(const std::string& variable, std::uint64_t value) {
  const std::string name = fmt::format("coll_tuned_{}_algorithm{}", order_.operation, variable);
  if (job_.mpi().set_variable(name.c_str(), static_cast<int>(value)) != 0) return;
  if (!variable.empty()) return;  // some operations have no segments
  throw Error(
      Fault::kFailed,
      fmt::format(
          "cannot choose the {1} algorithm of {0}: it has no control variable {2} that can be set; "
          "{3}",
          job_.library(), order_.operation, name,
          job_.mpi().has_variables() == 0
              ? "MPI_T is switched off there"
              : "coll/tuned is not in use there, or has no dynamic rules "
                "(coll_tuned_use_dynamic_rules=1)"));
}

int Collectives::group(const std::vector<int>& members, const CollectiveCandidate& candidate) {
  const int ranks = static_cast<int>(members.size());
  if (order_.components.empty() || candidate.algorithm == 0) {
    return job_.mpi().group(members.data(), ranks);
  }
  return job_.mpi().group_preferring(members.data(), ranks,
                                     component_of(order_, candidate.algorithm).c_str());
}

// Of a component's own choice, in a segment of its own; empty for others.
std::string Collectives::segment_variable(const CollectiveCandidate& candidate) const {
  if (candidate.algorithm < kComponentsOwnChoice || candidate.segment_bytes == 0) return {};
  return fmt::format("coll_{}_{}_segsize", component_of(order_, candidate.algorithm),
                     order_.operation);
}

// A segment that leaves the message whole, as it is without, or that the library does not let be
// set.
bool Collectives::has_no_effect(const CollectiveCandidate& candidate, std::uint64_t size_bytes) {
  if (candidate.segment_bytes == 0) return false;
  const std::string variable = segment_variable(candidate);
  if (variable.empty()) return candidate.segment_bytes >= size_bytes;
  const SegmentSetting setting(job_, variable, candidate.segment_bytes);
  const std::uint64_t least_bytes = std::min(candidate.segment_bytes, setting.before_bytes());
  return !setting.is_set() || least_bytes >= size_bytes;
}

void Collectives::make_groups() {
  std::vector<std::vector<int>> memberships(1);
  for (const auto& node : shape_.nodes) {
    memberships[0].insert(memberships[0].end(), node.begin(), node.end());
  }
  if (shape_.nodes.size() > 3) {
    std::vector<int>& half = memberships.emplace_back();
    for (std::size_t i = 0; i < shape_.nodes.size() / 2; ++i) {
      half.insert(half.end(), shape_.nodes[i].begin(), shape_.nodes[i].end());
    }
  }
  const std::size_t candidates = order_.candidates.size();
  const bool by_size = order_.step_bytes > 0;
  const bool orders = candidates > 1 && !by_size;  // else there is nothing to select
  for (const std::vector<int>& members : memberships) {
    const int ranks = static_cast<int>(members.size());
    std::vector<std::int32_t> groups;
    for (const CollectiveCandidate& candidate : order_.candidates) {
      const bool own = candidate.algorithm == 0 || candidate.algorithm >= kComponentsOwnChoice;
      if (orders) set("", own ? 0 : static_cast<std::uint64_t>(candidate.algorithm));
      if (orders) set("_segmentsize", own ? 0 : candidate.segment_bytes);
      const bool same = by_size && !groups.empty();
      groups.push_back(same ? groups.front() : group(members, candidate));
    }
    for (const std::uint64_t size_bytes : order_.sizes_bytes) {
      for (std::size_t i = 0; i < groups.size(); ++i) {
        const std::uint64_t message_bytes = size_bytes - (candidates - 1 - i) * order_.step_bytes;
        cells_.push_back({{ranks, order_.candidates[i], size_bytes, {}},
                          groups[i],
                          static_cast<std::int32_t>(i),
                          message_bytes,
                          has_no_effect(order_.candidates[i], size_bytes)});
      }
    }
  }
  if (orders) set("", 0);
}

// Runs it on all ranks; returns the duration.
double Collectives::run_on_all(Command command) {
  const double said_ns = clock_.now_ns();
  command.start_ns = said_ns + 2 * word_ns_ + kStartNs;
  job_.mpi().broadcast(&command, sizeof command);
  word_ns_ = std::max(word_ns_ / 2, clock_.now_ns() - said_ns);
  return obey(command);
}

double Collectives::obey(const Command& command) {
  if (command.word == Word::kMeasure) return play(command);
  if (command.word == Word::kClock) clock_.synchronise();
  return 0;
}

double Collectives::play(const Command& command) {
  if (job_.mpi().group_rank(command.group) < 0) return 0;
  const auto& candidate = order_.candidates.at(static_cast<std::size_t>(command.candidate));
  const SegmentSetting setting(job_, segment_variable(candidate), candidate.segment_bytes);
  clock_.wait_until(command.start_ns);
  double start_ns = clock_.now_ns();
  job_.mpi().collective(order_.operation.c_str(), command.group, from_.data(), to_.data(),
                        command.size_bytes);
  double end_ns = clock_.now_ns();
  clock_.rest_until(command.start_ns + command.rest_ns);
  job_.mpi().least_and_most(command.group, &start_ns, &end_ns);
  return end_ns - start_ns;
}

double Collectives::measure(const Cell& cell) {
  const std::vector<std::uint64_t>& rounds_ns = cell.result.rounds_ns;
  const double usual_ns = rounds_ns.empty() ? 0 : static_cast<double>(rounds_ns.back());
  return run_on_all({.word = Word::kMeasure,
                     .group = cell.group,
                     .candidate = cell.candidate,
                     .size_bytes = cell.message_bytes,
                     .rest_ns = rest_after(usual_ns)});
}

void Collectives::drop_the_beaten() {
  const std::size_t candidates = order_.candidates.size();
  for (std::size_t first = 0; first < cells_.size(); first += candidates) {
    const auto begin = cells_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(candidates);
    const auto typical = [](const Cell& cell) {
      std::vector<double> ns(cell.result.rounds_ns.begin(), cell.result.rounds_ns.end());
      return ns.empty() || cell.out ? INFINITY : median(ns);
    };
    const auto best = std::min_element(
        begin, end, [&](const Cell& a, const Cell& b) { return typical(a) < typical(b); });
    for (auto cell = begin; cell != end; ++cell) {
      if (cell->result.candidate.algorithm == 0 || cell == best) continue;  // stays
      cell->out = cell->out || is_beaten(cell->result.rounds_ns, best->result.rounds_ns);
    }
  }
}

void Collectives::measure_rounds(double end_ns) {
  std::mt19937_64 random(order_.seed);
  const std::size_t candidates = order_.candidates.size();
  std::vector<std::size_t> firsts;
  for (std::size_t i = 0; i < cells_.size(); i += candidates) firsts.push_back(i);
  std::set<std::pair<std::int32_t, std::int32_t>> warm;
  for (const Cell& cell : cells_) {  // makes connections, and what coll/han needs of communicators
    if (!cell.out && warm.emplace(cell.group, cell.candidate).second) measure(cell);
  }
  for (std::size_t round = 0; round < kRoundsMax; ++round) {
    std::shuffle(firsts.begin(), firsts.end(), random);
    for (const std::size_t first : firsts) {
      std::vector<Cell*> alive;
      for (std::size_t i = first; i < first + candidates; ++i) {
        if (!cells_[i].out) alive.push_back(&cells_[i]);
      }
      std::shuffle(alive.begin(), alive.end(), random);
      for (Cell* cell : alive) {
        cell->result.rounds_ns.push_back(static_cast<std::uint64_t>(std::max(1.0, measure(*cell))));
      }
      if (clock_.now_ns() - clock_ns_ > kClockEveryNs) {
        run_on_all({.word = Word::kClock});
        clock_ns_ = clock_.now_ns();
      }
      if (round > 0 && clock_.now_ns() > end_ns) return;
    }
    drop_the_beaten();
  }
}

CollectivesResult Collectives::lead() {
  const double start_ns = clock_.now_ns();
  run_on_all({.word = Word::kClock});
  clock_ns_ = clock_.now_ns();
  measure_rounds(start_ns + order_.budget_ns);
  run_on_all({.word = Word::kEnd});
  CollectivesResult result{.ranks_per_node = shape_.ranks_per_node,
                           .nodes = static_cast<int>(shape_.nodes.size())};
  for (Cell& cell : cells_) result.cells.push_back(std::move(cell.result));
  return result;
}

void Collectives::follow() {
  for (Command command;;) {
    job_.mpi().broadcast(&command, sizeof command);
    if (command.word == Word::kEnd) return;
    obey(command);
  }
}

}  // namespace

std::string component_of(const CollectivesOrder& order, int algorithm) {
  return order.components.at(
      static_cast<std::size_t>(std::max(0, algorithm - kComponentsOwnChoice)));
}

bool is_beaten(const std::vector<std::uint64_t>& own_ns,
               const std::vector<std::uint64_t>& best_ns) {
  // Times the best, in each of so many rounds. A packet that is lost makes one or two of them many
  // times as long. What loses a little in this job may win in the next one, and has to have as many
  // rounds as the others in both (tools/stack/sample_collectives.cpp).
  struct Limit {
    std::size_t rounds;
    double times;
  };
  constexpr Limit kLimits[] = {{3, 2}, {4, 1.3}};
  const std::size_t rounds = std::min(own_ns.size(), best_ns.size());
  double least = INFINITY;
  for (std::size_t i = 0; i < rounds; ++i) {
    least = std::min(least, static_cast<double>(own_ns[i]) / static_cast<double>(best_ns[i]));
  }
  return std::ranges::any_of(
      kLimits, [&](const Limit& limit) { return rounds >= limit.rounds && least > limit.times; });
}

CollectivesResult run_stack_collectives(const control::MpiJob& job, const CollectivesOrder& order) {
  Collectives collectives(job, order);
  if (job.leads()) return collectives.lead();
  collectives.follow();
  return {};
}

}  // namespace nmt::sampler
