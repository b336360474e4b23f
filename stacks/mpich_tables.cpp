// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/mpich_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <functional>
#include <map>

#include "core/error.h"

namespace nmt::stacks {
namespace {

constexpr std::string_view kOpening = "{\"collective=";

// Up to the terminating zero byte.
std::string_view text_at(std::string_view bytes, std::size_t begin) {
  return bytes.substr(begin, bytes.find('\0', begin) - begin);
}

// The leaf names that the library compares with: separate texts, not those within a table.
std::vector<std::string> leaves_in(std::string_view library) {
  std::vector<std::string> leaves;
  for (const std::string_view key : {"algorithm=MPI", "composition=MPI"}) {
    for (std::size_t at = library.find(key); at != std::string_view::npos;
         at = library.find(key, at + 1)) {
      const bool own = at > 0 && library[at - 1] != '"';
      if (own) leaves.emplace_back(text_at(library, at));
    }
  }
  return leaves;
}

// The level that decides for calls within one group of ranks; null if the table has another form.
Selection* within_a_group(Selection& table, std::string_view operation) {
  const std::string key = fmt::format("collective={}", operation);
  const auto found = std::ranges::find(table, key, &SelectionNode::test);
  if (found == table.end()) return nullptr;
  const auto intra = std::ranges::find(found->below, "comm_type=intra", &SelectionNode::test);
  return intra == found->below.end() ? nullptr : &intra->below;
}

using Ways = std::map<std::uint64_t, std::string>;  // by size of one rank
using LeafOf = std::function<Selection(const std::string& way)>;

std::string size_test(const MpichOperation& operation, std::string_view rest) {
  return fmt::format("{}{}", operation.total ? "total_msg_size" : "avg_msg_size", rest);
}

// MPICH stores these numbers as int.
std::string size_test(const MpichOperation& operation, std::string_view sign, double bytes) {
  return size_test(operation, fmt::format("{}{:.0f}", sign, std::min<double>(bytes, INT_MAX)));
}

// Splits by size, at the geometric mean of two sizes.
Selection by_sizes(const MpichOperation& operation, int ranks, const Ways& ways,
                   const LeafOf& leaf_of) {
  const double unit = operation.total ? ranks : 1;
  Selection level;
  double last_bytes = 0;
  for (const auto& [size_bytes, way] : ways) {
    const auto here = static_cast<double>(size_bytes);
    Selection chosen = leaf_of(way);
    if (!level.empty() && level.back().below != chosen) {
      level.back().test = size_test(operation, "<", std::ceil(std::sqrt(last_bytes * here)) * unit);
    }
    if (level.empty() || level.back().below != chosen) level.push_back({"", std::move(chosen)});
    last_bytes = here;
  }
  if (level.size() == 1) return level.front().below;
  level.back().test = size_test(operation, "=any");
  return level;
}

// Splits by number of ranks: each entry up to the next, the last up to twice its ranks.
Selection by_ranks(const std::map<int, Selection>& entries, const Selection& otherwise) {
  const auto is_old = [&](const auto& entry) { return entry.second == otherwise; };
  if (std::ranges::all_of(entries, is_old)) return otherwise;
  Selection level;
  const Selection* last = &otherwise;
  for (const auto& [ranks, chosen] : entries) {
    if (ranks > 1) level.push_back({fmt::format("comm_size<={}", ranks - 1), *last});
    last = &chosen;
  }
  level.push_back({fmt::format("comm_size<={}", 2 * entries.rbegin()->first - 1), *last});
  level.push_back({"comm_size=any", otherwise});
  return level;
}

// How a communicator's ranks are placed on nodes.
enum class Shape { kOneNode, kByNodes, kOneEach };

struct Entry {
  Shape shape = Shape::kOneEach;
  int ranks = 0;
  int nodes = 0;
  Ways ways;
};

std::vector<Entry> entries_of(std::span<const RuledCell> cells, std::string_view operation) {
  std::map<std::int64_t, Entry> entries;
  for (const RuledCell& cell : cells) {
    if (cell.operation != operation) continue;
    const auto ranks = static_cast<int>(cell.ranks);
    const int per_node = std::clamp(static_cast<int>(cell.ranks_per_node), 1, ranks);
    Entry& entry = entries[cell.ranks];
    entry.ranks = ranks;
    entry.nodes = (ranks + per_node - 1) / per_node;
    entry.shape = entry.nodes == 1 ? Shape::kOneNode
                  : per_node > 1   ? Shape::kByNodes
                                   : Shape::kOneEach;
    entry.ways[cell.size_bytes] = cell.algorithm;
  }
  std::vector<Entry> all;
  for (auto& [ranks, entry] : entries) all.push_back(std::move(entry));
  return all;
}

// Splits by shape; `roots` is for the first ranks of all nodes.
Selection by_shapes(std::map<Shape, std::map<int, Selection>> shapes,
                    const std::map<int, Selection>& roots, const Selection& otherwise) {
  const Selection first = by_ranks(roots, otherwise);
  const Selection one_node = by_ranks(shapes[Shape::kOneNode], otherwise);
  const Selection by_nodes = by_ranks(shapes[Shape::kByNodes], otherwise);
  const Selection one_each = by_ranks(shapes[Shape::kOneEach], otherwise);
  Selection level;
  if (first != otherwise) level.push_back({"comm_hierarchy=node_roots", first});
  if (one_node != otherwise || by_nodes != otherwise) {
    Selection parent = {{"comm_size=node_comm_size", one_node}, {"comm_size=any", by_nodes}};
    level.push_back({"comm_hierarchy=parent", std::move(parent)});
  }
  if (one_each != otherwise) level.push_back({"comm_hierarchy=flat", one_each});
  if (level.empty()) return otherwise;
  level.push_back({"comm_hierarchy=any", otherwise});
  return level;
}

// A way's leaf in each place; for the library's own choice, and for what this library does not
// have, what stood there.
LeafOf composition_leaves(const MpichOperation& operation, const std::vector<std::string>& known,
                          const Selection& otherwise) {
  return [&](const std::string& name) {
    const auto way = find_mpich_way(operation, name);
    const bool here = way && has_way(operation, name, known);
    return here ? composition_of(operation, *way, otherwise) : otherwise;
  };
}
LeafOf algorithm_leaves(const MpichOperation& operation, const std::vector<std::string>& known,
                        bool of_roots, const Selection& otherwise) {
  return [&operation, &known, of_roots, &otherwise](const std::string& name) {
    const auto way = find_mpich_way(operation, name);
    const bool here = way && way->algorithm != nullptr && way->by_nodes == of_roots &&
                      has_way(operation, name, known);
    return here ? algorithm_of(operation, *way->algorithm, otherwise) : otherwise;
  };
}

Selection trial_sizes(const MpichTrial& trial, const MpichOperation& operation, int ranks,
                      const Selection& otherwise, const LeafOf& leaf_of) {
  const double unit = operation.total ? ranks : 1;
  Selection level;
  for (const std::uint64_t size_bytes : trial.sizes_bytes) {
    for (std::size_t i = 0; i < trial.ways.size(); ++i) {
      const std::uint64_t below = kTrialStepBytes * (trial.ways.size() - 1 - i);
      NMT_CHECK(below < size_bytes);
      level.push_back({size_test(operation, "<=", static_cast<double>(size_bytes - below) * unit),
                       leaf_of(trial.ways[i])});
    }
  }
  level.push_back({size_test(operation, "=any"), otherwise});
  return level;
}

// For operations whose sizes count all ranks, the sizes depend on the number of ranks.
Selection trial_level(const MpichTrial& trial, const MpichOperation& operation,
                      std::span<const int> ranks, const Selection& otherwise,
                      const LeafOf& leaf_of) {
  if (!operation.total) return trial_sizes(trial, operation, 1, otherwise, leaf_of);
  Selection level;
  for (const int each : ranks) {
    level.push_back({fmt::format("comm_size<={}", each),
                     trial_sizes(trial, operation, each, otherwise, leaf_of)});
  }
  level.push_back({"comm_size=any", otherwise});
  return level;
}

}  // namespace

std::optional<MpichTables> find_mpich_tables(std::string_view library) {
  MpichTables tables{.known = leaves_in(library)};
  for (std::size_t at = library.find(kOpening); at != std::string_view::npos;
       at = library.find(kOpening, at + 1)) {
    const std::string_view text = text_at(library, at);
    try {
      Selection table = read_selection(text, "the library's own table", tables.known);
      if (text.find("composition=MPIDI_") != std::string_view::npos) {
        tables.compositions = std::move(table);
      } else if (text.find("algorithm=MPIR_") != std::string_view::npos) {
        tables.algorithms = std::move(table);
      }
    } catch (const Error&) {
      return std::nullopt;  // a grammar unknown to this reader
    }
  }
  for (const MpichOperation& operation : mpich_operations()) {
    if (within_a_group(tables.algorithms, operation.name) == nullptr) return std::nullopt;
    if (within_a_group(tables.compositions, operation.name) == nullptr) return std::nullopt;
  }
  return tables;
}

MpichTables with_rules(const MpichTables& tables, std::span<const RuledCell> cells) {
  MpichTables ruled = tables;
  for (const MpichOperation& operation : mpich_operations()) {
    Selection& compositions = *within_a_group(ruled.compositions, operation.name);
    Selection& algorithms = *within_a_group(ruled.algorithms, operation.name);
    const LeafOf composition = composition_leaves(operation, tables.known, compositions);
    const LeafOf algorithm = algorithm_leaves(operation, tables.known, false, algorithms);
    const LeafOf of_roots = algorithm_leaves(operation, tables.known, true, algorithms);
    std::map<Shape, std::map<int, Selection>> composed, over_all;
    std::map<int, Selection> roots;
    for (const Entry& entry : entries_of(cells, operation.name)) {
      const auto level = [&](const LeafOf& leaf_of) {
        return by_sizes(operation, entry.ranks, entry.ways, leaf_of);
      };
      composed[entry.shape][entry.ranks] = level(composition);
      over_all[entry.shape][entry.ranks] = level(algorithm);
      if (entry.shape == Shape::kByNodes) roots[entry.nodes] = level(of_roots);
    }
    compositions = by_shapes(std::move(composed), {}, Selection(compositions));
    algorithms = by_shapes(std::move(over_all), roots, Selection(algorithms));
  }
  return ruled;
}

MpichTables with_trials(const MpichTables& tables, std::span<const MpichTrial> trials,
                        std::span<const int> ranks) {
  MpichTables tried = tables;
  for (const MpichTrial& trial : trials) {
    const MpichOperation* operation = find_mpich_operation(trial.operation);
    NMT_CHECK(operation != nullptr);
    Selection& compositions = *within_a_group(tried.compositions, trial.operation);
    Selection& algorithms = *within_a_group(tried.algorithms, trial.operation);
    const LeafOf of_roots = algorithm_leaves(*operation, tables.known, true, algorithms);
    const LeafOf of_all = algorithm_leaves(*operation, tables.known, false, algorithms);
    const LeafOf algorithm = [&](const std::string& name) -> Selection {
      const auto way = find_mpich_way(*operation, name);
      if (!way || !way->by_nodes || way->algorithm == nullptr) return of_all(name);
      return {{"comm_hierarchy=node_roots", of_roots(name)}, {"comm_hierarchy=any", algorithms}};
    };
    Selection below = trial_level(trial, *operation, ranks, algorithms, algorithm);
    Selection above = trial_level(trial, *operation, ranks, compositions,
                                  composition_leaves(*operation, tables.known, compositions));
    algorithms = std::move(below);
    compositions = std::move(above);
  }
  return tried;
}

}  // namespace nmt::stacks
