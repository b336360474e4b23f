// SPDX-License-Identifier: BSD-3-Clause
//
// What predicted rules lose on a simulated shape (tuner/predicted_segments.h):
//
//   simulated_rules NODES RANKS-PER-NODE [LIMIT] < RESULTS
//
// A line of RESULTS is "WHO MAPPING NODESxRANKS OPERATION:SIZE:ALGORITHM:SEGMENT MILLISECONDS"
// (bench/simulated/collectives). The algorithm "library" is the MPI's own choice. The results of
// all other shapes are the samples. Prints rows, with LIMIT (in %) as the goal for the mean regret
// against the fastest result; without LIMIT, what the rules choose on the shape and RESULTS lack.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/row.h"
#include "bench/simulated/way.h"
#include "core/collective_sample.h"
#include "tuner/tuner.h"

namespace nmt::bench {
namespace {

using tuner::CollectiveCell;
using tuner::CollectiveShape;
using tuner::CollectiveTime;

constexpr char kGroup[] = "simulated_collectives";

CollectiveShape shape_of(std::string_view nodes, std::string_view ranks_per_node) {
  return {.nodes = static_cast<std::int64_t>(number(nodes)),
          .ranks_per_node = static_cast<std::int64_t>(number(ranks_per_node))};
}

// By operation, shape and size; times from the fastest on.
std::vector<CollectiveCell> read_cells(std::istream& results) {
  using Key = std::tuple<std::string, CollectiveShape, std::uint64_t>;
  std::map<Key, CollectiveCell> cells;
  std::string who, mapping, where, what;
  for (double ms = 0; results >> who >> mapping >> where >> what >> ms;) {
    std::string_view ranks = where;
    const std::string_view nodes = next_field(&ranks, 'x');
    const CollectiveShape shape = shape_of(nodes, ranks);
    const Way way = parse_way(what);
    CollectiveCell& cell = cells[{std::string(way.operation), shape, way.size_bytes}];
    cell.mpi = "simulated";
    cell.operation = way.operation;
    cell.nodes = shape.nodes;
    cell.ranks_per_node = shape.ranks_per_node;
    cell.size_bytes = way.size_bytes;
    cell.times.push_back({.algorithm = std::string(way.algorithm),
                          .segment_bytes = way.segment_bytes,
                          .median_ns = ms * 1e6});
  }
  std::vector<CollectiveCell> sorted;
  for (auto& [key, cell] : cells) {
    std::ranges::stable_sort(cell.times, {}, &CollectiveTime::median_ns);
    sorted.push_back(std::move(cell));
  }
  return sorted;
}

// Those that a program follows on this shape.
std::vector<SegmentRule> rules_for(const CollectiveShape& shape,
                                   const std::vector<CollectiveCell>& samples) {
  std::vector<SegmentRule> rules;
  for (SegmentRule& rule : tuner::predict_segments(samples)) {
    if (!rule.applies_to(shape.nodes, shape.ranks_per_node)) continue;
    rule.nodes = shape.nodes;
    rule.ranks_per_node = shape.ranks_per_node;
    rules.push_back(std::move(rule));
  }
  return rules;
}

const SegmentRule* find_rule(const std::vector<SegmentRule>& rules, const CollectiveCell& cell) {
  const auto found = std::ranges::find_if(rules, [&](const SegmentRule& rule) {
    return rule.operation == cell.operation && rule.covers(cell.size_bytes);
  });
  return found == rules.end() ? nullptr : &*found;
}

// Null if there is none in the results.
const CollectiveTime* library_time(const CollectiveCell& cell) {
  const auto found = std::ranges::find_if(
      cell.times, [](const CollectiveTime& time) { return time.algorithm == kLibraryAlgorithm; });
  return found == cell.times.end() ? nullptr : &*found;
}

// Where no rule applies, the MPI's own is called. Null if it is not in the results.
const CollectiveTime* time_by_rules(const std::vector<SegmentRule>& rules,
                                    const CollectiveCell& cell) {
  return find_rule(rules, cell) == nullptr ? library_time(cell) : tuner::chosen_time(rules, cell);
}

void print_missing(const std::vector<SegmentRule>& rules,
                   const std::vector<CollectiveCell>& truth) {
  for (const CollectiveCell& cell : truth) {
    const SegmentRule* rule = find_rule(rules, cell);
    if (rule == nullptr || time_by_rules(rules, cell) != nullptr) continue;
    const std::uint64_t segment_bytes =
        rule->segment_bytes >= cell.size_bytes ? 0 : rule->segment_bytes;
    std::cout << cell.operation << ':' << cell.size_bytes << ':' << rule->algorithm << ':'
              << segment_bytes << '\n';
  }
}

class Regrets {
 public:
  void add(const CollectiveTime& chosen, const CollectiveTime& best) {
    const double percent = (chosen.median_ns / best.median_ns - 1) * 100;
    sum_ += percent;
    worst_ = std::max(worst_, percent);
    ++count_;
  }
  double mean() const { return sum_ / count_; }
  double worst() const { return worst_; }
  int count() const { return count_; }

 private:
  double sum_ = 0;
  double worst_ = 0;
  int count_ = 0;
};

std::string text_of(const CollectiveTime& time) {
  return time.algorithm + "/" + std::to_string(time.segment_bytes) + " " +
         std::to_string(time.median_ns / 1e6) + " ms";
}

std::string numbers_of_nodes(const std::vector<CollectiveCell>& samples) {
  std::set<std::int64_t> numbers;
  for (const CollectiveCell& cell : samples) numbers.insert(cell.nodes);
  std::string text;
  for (const std::int64_t nodes : numbers) {
    text += (text.empty() ? "" : " and ") + std::to_string(nodes);
  }
  return text;
}

void print_rows(const std::string& name, double limit, const std::vector<SegmentRule>& rules,
                const std::vector<CollectiveCell>& truth) {
  Regrets all, of_library;
  std::map<std::string, Regrets> by_operation;
  int replaced = 0;
  for (const CollectiveCell& cell : truth) {
    const CollectiveTime* chosen = time_by_rules(rules, cell);
    const CollectiveTime* library = library_time(cell);
    if (chosen == nullptr || library == nullptr) {
      std::cerr << kGroup << ": " << name << ": no result of what is chosen for a "
                << cell.operation << " of " << cell.size_bytes << " B, or of the MPI's own\n";
      std::exit(1);
    }
    const CollectiveTime& best = cell.times.front();
    std::cerr << kGroup << ": " << cell.operation << " of " << cell.size_bytes << " B: chosen "
              << text_of(*chosen) << ", best " << text_of(best) << ", the MPI's own "
              << text_of(*library) << '\n';
    all.add(*chosen, best);
    by_operation[cell.operation].add(*chosen, best);
    of_library.add(*library, best);
    replaced += chosen == library ? 0 : 1;
  }
  if (all.count() == 0) {
    std::cerr << kGroup << ": " << name << ": no results\n";
    std::exit(1);
  }
  print_row(kGroup, name + ": mean regret", all.mean(), "%", Goal::kAtMost, limit);
  print_row(kGroup, name + ": worst regret", all.worst(), "%");
  for (const auto& [operation, regrets] : by_operation) {
    print_row(kGroup, name + ": mean regret, " + operation, regrets.mean(), "%");
  }
  print_row(kGroup, name + ": calls not left to the MPI's own", replaced,
            "of " + std::to_string(all.count()));
  print_row(kGroup, name + ": mean regret of the MPI's own", of_library.mean(), "%");
}

}  // namespace
}  // namespace nmt::bench

int main(int argc, char** argv) {
  using namespace nmt::bench;
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "Usage: simulated_rules NODES RANKS-PER-NODE [LIMIT] < RESULTS\n");
    return 2;
  }
  const CollectiveShape shape = shape_of(argv[1], argv[2]);
  std::vector<CollectiveCell> samples, truth;
  for (CollectiveCell& cell : read_cells(std::cin)) {
    const CollectiveShape where{.nodes = cell.nodes, .ranks_per_node = cell.ranks_per_node};
    (where == shape ? truth : samples).push_back(std::move(cell));
  }
  const std::vector<nmt::SegmentRule> rules = rules_for(shape, samples);
  if (argc == 3) {
    print_missing(rules, truth);
  } else {
    const std::string name = std::string("rules for ") + argv[1] + " nodes of " + argv[2] +
                             " ranks from " + numbers_of_nodes(samples) + " nodes";
    print_rows(name, std::atof(argv[3]), rules, truth);
  }
  return 0;
}
