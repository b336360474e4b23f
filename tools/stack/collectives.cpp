// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/collectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/method.h"
#include "core/units.h"
#include "tools/command/options.h"

namespace nmt {
namespace {

constexpr std::string_view kMark = "operation:";

// Algorithms that cut a message into segments, where their length matters.
constexpr std::string_view kSegmented[] = {"chain",         "pipeline", "split_binary_tree",
                                           "binary_tree",   "binary",   "in-order_binary",
                                           "segmented_ring"};
constexpr std::uint64_t kSegments[] = {std::uint64_t{16} << 10, std::uint64_t{128} << 10};

std::vector<CollectiveCandidate> candidates_of(const TunedOperation& operation) {
  std::vector<CollectiveCandidate> candidates = {{0, 0}};
  for (std::size_t i = 1; i < operation.algorithms.size(); ++i) {
    const std::string_view name = operation.algorithms[i];
    if (name == "two_proc") continue;  // an error where there are others
    candidates.push_back({static_cast<int>(i), 0});
    if (std::ranges::find(kSegmented, name) == std::end(kSegmented)) continue;
    for (const std::uint64_t segment : kSegments) {
      candidates.push_back({static_cast<int>(i), segment});
    }
  }
  return candidates;
}

std::uint64_t number_from(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) {
    throw Error(Fault::kUsage, fmt::format("--turn: '{}' is no number", text));
  }
  return parse_bytes(text);
}

CollectiveCandidate candidate_from(const std::string& text) {
  const std::size_t cross = text.find('x');
  if (cross == std::string::npos) throw Error(Fault::kUsage, "--turn: ALGORITHMxSEGMENT");
  return {static_cast<int>(number_from(text.substr(0, cross))),
          number_from(text.substr(cross + 1))};
}

CollectivesResult result_from(const json::Reader& reader) {
  CollectivesResult result{
      .ranks_per_node = static_cast<int>(reader["ranks_per_node"].integer(0, 1 << 20)),
      .nodes = static_cast<int>(reader["nodes"].integer(1, 1 << 20))};
  for (const json::Reader& item : reader["cells"].items()) {
    StackCell cell{.ranks = static_cast<int>(item["ranks"].integer(1, 1 << 30)),
                   .size_bytes = item["size_bytes"].unsigned_integer()};
    cell.candidate = {static_cast<int>(item["algorithm"].integer(0, 100)),
                      item["segment_bytes"].unsigned_integer()};
    for (const json::Reader& round : item["rounds_ns"].items()) {
      cell.rounds_ns.push_back(round.unsigned_integer());
    }
    result.cells.push_back(std::move(cell));
  }
  return result;
}

}  // namespace

std::vector<CollectivesOrder> collectives_orders(double budget_ns, std::uint64_t seed) {
  constexpr std::uint64_t kLeast = 4, kMost = std::uint64_t{4} << 20;
  constexpr std::uint64_t kMostToEach = std::uint64_t{256} << 10;  // of each rank, to all others
  std::vector<CollectivesOrder> orders;
  for (const TunedOperation& operation : tuned_operations()) {
    CollectivesOrder& order = orders.emplace_back();
    order.operation = operation.name;
    order.candidates = candidates_of(operation);
    order.budget_ns = budget_ns;
    order.seed = seed;
    const std::uint64_t most = operation.total ? kMostToEach : kMost;
    for (std::uint64_t size = kLeast; size <= most; size *= 4) order.sizes_bytes.push_back(size);
  }
  return orders;
}

CollectivesOrder own_choice_only(CollectivesOrder order) {
  order.candidates = {{0, 0}};
  return order;
}

bool is_collectives_order(const std::string& text) { return text.starts_with(kMark); }

std::string to_text(const CollectivesOrder& order) {
  std::vector<std::string> candidates;
  for (const CollectiveCandidate& each : order.candidates) {
    candidates.push_back(fmt::format("{}x{}", each.algorithm, each.segment_bytes));
  }
  return fmt::format("{}{}/candidates:{}/sizes:{}/budget:{:.0f}/seed:{}", kMark, order.operation,
                     fmt::join(candidates, ","), fmt::join(order.sizes_bytes, ","), order.budget_ns,
                     order.seed);
}

CollectivesOrder collectives_order_from(const std::string& text) {
  CollectivesOrder order;
  for (std::string rest = text; !rest.empty();) {
    const std::string part = rest.substr(0, rest.find('/'));
    rest.erase(0, part.size() + 1);
    const std::string key = part.substr(0, part.find(':'));
    const std::string value = part.substr(std::min(part.size(), key.size() + 1));
    if (key == "operation") order.operation = value;
    if (key == "budget") order.budget_ns = static_cast<double>(number_from(value));
    if (key == "seed") order.seed = number_from(value);
    for (const std::string& word : split_list(value)) {
      if (key == "candidates") order.candidates.push_back(candidate_from(word));
      if (key == "sizes") order.sizes_bytes.push_back(number_from(word));
    }
  }
  const bool known = find_tuned_operation(order.operation) != nullptr;
  if (!known || order.candidates.empty() || order.sizes_bytes.empty()) {
    throw Error(Fault::kUsage, "--turn: no order for collectives");
  }
  return order;
}

json::Value to_json(const CollectivesResult& result) {
  json::Value cells = json::Value::array();
  for (const StackCell& cell : result.cells) {
    json::Value rounds_ns = json::Value::array();
    for (const std::uint64_t ns : cell.rounds_ns) rounds_ns.push_back(ns);
    cells.push_back(json::Value::object()
                        .set("ranks", cell.ranks)
                        .set("algorithm", cell.candidate.algorithm)
                        .set("segment_bytes", cell.candidate.segment_bytes)
                        .set("size_bytes", cell.size_bytes)
                        .set("rounds_ns", std::move(rounds_ns)));
  }
  return json::Value::object()
      .set("ranks_per_node", result.ranks_per_node)
      .set("nodes", result.nodes)
      .set("cells", std::move(cells));
}

LaunchedCollectives launch_collectives(const StackJob& job, const Fields& settings,
                                       const CollectivesOrder& order) {
  LaunchedCollectives launched;
  launched.elapsed_ns = launch_ranks(job, settings, to_text(order), 3 * order.budget_ns + 300e9,
                                     [&](const json::Reader& reader) {
                                       launched.library = reader["library"].text();
                                       launched.result = result_from(reader["collectives"]);
                                     });
  return launched;
}

std::vector<Sample> samples_of(const LaunchedCollectives& launched, const CollectivesOrder& order,
                               const Fields& settings, std::uint32_t first_round) {
  const CollectivesResult& result = launched.result;
  const TunedOperation* operation = find_tuned_operation(order.operation);
  std::vector<Sample> samples;
  for (const StackCell& cell : result.cells) {
    if (cell.rounds_ns.empty()) continue;
    const auto algorithm = static_cast<std::size_t>(cell.candidate.algorithm);
    Sample& sample = samples.emplace_back();
    sample.size_bytes = cell.size_bytes;
    sample.condition = {.benchmark = std::string(benchmark::kStackCollective),
                        .variant = to_variant(settings),
                        .mpi = launched.library,
                        .operation = order.operation,
                        .algorithm = std::string(operation->algorithms.at(algorithm)),
                        .ranks = cell.ranks,
                        .nodes = result.nodes,
                        .ranks_per_node = result.ranks_per_node,
                        .segment_bytes = static_cast<std::int64_t>(cell.candidate.segment_bytes)};
    for (std::uint32_t i = 0; i < cell.rounds_ns.size(); ++i) {
      sample.repetitions.push_back({.total_ns = cell.rounds_ns[i], .round = first_round + i});
    }
  }
  return samples;
}

}  // namespace nmt
