// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/stack/launch_collectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "core/error.h"
#include "core/method.h"
#include "core/units.h"
#include "core/version.h"

namespace nmt::sampler {
namespace {

constexpr std::string_view kMark = "operation:";

constexpr std::uint64_t kSegments[] = {std::uint64_t{16} << 10, std::uint64_t{128} << 10};

// One operation of a stack: its algorithms in the order of their numbers, its own choice first.
struct Operation {
  std::string name;
  bool total = false;  // each rank sends to all others
  std::vector<std::string> algorithms;
};

std::vector<Operation> operations_of(std::string_view stack) {
  std::vector<Operation> operations;
  if (stack == "openmpi") {
    for (const stacks::TunedOperation& each : stacks::tuned_operations()) {
      operations.push_back(
          {std::string(each.name), each.total, {each.algorithms.begin(), each.algorithms.end()}});
    }
  } else if (stack == "mpich") {
    for (const stacks::MpichOperation& each : stacks::mpich_operations()) {
      const bool total = stacks::find_tuned_operation(each.name)->total;
      operations.push_back({std::string(each.name), total, stacks::mpich_ways(each)});
    }
  }
  return operations;
}

Operation operation_of(std::string_view stack, std::string_view name) {
  const std::vector<Operation> all = operations_of(stack);
  const auto found = std::ranges::find(all, name, &Operation::name);
  NMT_CHECK(found != all.end());
  return *found;
}

std::vector<std::string> algorithms_of(std::string_view stack, std::string_view operation) {
  return operation_of(stack, operation).algorithms;
}

// Below each size there is room for the steps of all candidates.
std::vector<std::uint64_t> sizes_of(const Operation& operation, const CollectivesOrder& order) {
  constexpr std::uint64_t kLeast = 4, kMost = std::uint64_t{4} << 20;
  constexpr std::uint64_t kLeastBySize = 64;
  constexpr std::uint64_t kMostToEach = std::uint64_t{256} << 10;  // of each rank, to all others
  const std::uint64_t room = std::bit_ceil(order.step_bytes * order.candidates.size());
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = order.step_bytes > 0 ? std::max(kLeastBySize, room) : kLeast;
       size <= (operation.total ? kMostToEach : kMost); size *= 4) {
    sizes.push_back(size);
  }
  return sizes;
}

std::string algorithm_name(const std::vector<std::string>& algorithms, int algorithm,
                           const CollectivesOrder& order) {
  if (algorithm >= kComponentsOwnChoice) return component_of(order, algorithm);
  return algorithms.at(static_cast<std::size_t>(algorithm));
}

std::vector<CollectiveCandidate> candidates_of(const Operation& operation) {
  std::vector<CollectiveCandidate> candidates = {{0, 0}};
  for (std::size_t i = 1; i < operation.algorithms.size(); ++i) {
    const std::string& name = operation.algorithms[i];
    if (name == "two_proc") continue;  // an error with more ranks
    candidates.push_back({static_cast<int>(i), 0});
    if (!stacks::takes_segments(name)) continue;
    for (const std::uint64_t segment : kSegments) {
      candidates.push_back({static_cast<int>(i), segment});
    }
  }
  return candidates;
}

std::string algorithms_variable(std::string_view operation) {
  return fmt::format("coll_tuned_{}_algorithm{}", operation, kEnumerated);
}

std::uint64_t number_from(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) {
    throw Error(Fault::kUsage, fmt::format("--turn: '{}' is not a number", text));
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
    cell.candidate = {static_cast<int>(item["algorithm"].integer(0, 127)),
                      item["segment_bytes"].unsigned_integer()};
    for (const json::Reader& round : item["rounds_ns"].items()) {
      cell.rounds_ns.push_back(round.unsigned_integer());
    }
    result.cells.push_back(std::move(cell));
  }
  return result;
}

}  // namespace

std::vector<CollectivesOrder> collectives_orders(std::string_view stack, double budget_ns,
                                                 std::uint64_t seed) {
  std::vector<CollectivesOrder> orders;
  for (const Operation& operation : operations_of(stack)) {
    CollectivesOrder& order = orders.emplace_back();
    order.operation = operation.name;
    order.candidates = candidates_of(operation);
    order.budget_ns = budget_ns;
    order.seed = seed;
    if (stack == "mpich") order.step_bytes = stacks::kTrialStepBytes;
    order.sizes_bytes = sizes_of(operation, order);
  }
  return orders;
}

std::vector<std::string> collective_variables() {
  std::vector<std::string> variables = {std::string(kHanPriority), std::string(kTunedPriority),
                                        std::string(kPriorities)};
  for (const stacks::TunedOperation& each : stacks::tuned_operations()) {
    variables.push_back(algorithms_variable(each.name));
  }
  return variables;
}

// Without names, as many as its version has; with names, those that mean what they mean here.
void leave_out_unknown(const LaunchedRound& first, std::vector<CollectivesOrder>* orders) {
  for (CollectivesOrder& order : *orders) {
    const stacks::TunedOperation& operation = *stacks::find_tuned_operation(order.operation);
    std::vector<std::string> known(
        operation.algorithms.begin(),
        operation.algorithms.begin() + static_cast<std::ptrdiff_t>(stacks::algorithms_in(
                                           operation, version_in(first.library))));
    for (const auto& [name, value] : first.timings.variables) {
      if (name == algorithms_variable(order.operation)) known = split_list(value);
    }
    std::erase_if(order.candidates, [&](const CollectiveCandidate& candidate) {
      const auto number = static_cast<std::size_t>(candidate.algorithm);
      if (number == 0) return false;
      return number >= known.size() || known[number] != operation.algorithms[number];
    });
  }
}

HanRole han_role(const LaunchedRound& first) {
  std::optional<std::uint64_t> han;
  std::uint64_t tuned = 0;
  for (const auto& [name, value] : first.timings.variables) {
    if (value.starts_with('-')) continue;  // a component that is never asked
    if (name == kHanPriority) han = parse_bytes(value);
    if (name == kTunedPriority) tuned = parse_bytes(value);
  }
  const std::size_t nodes = first.hosts.size();
  if (!han || nodes < 2) return HanRole::kNone;
  if (*han > tuned) return HanRole::kChooses;
  return static_cast<std::size_t>(first.ranks) > nodes ? HanRole::kCompetes : HanRole::kNone;
}

void sample_beside_han(const LaunchedRound& first, std::vector<CollectivesOrder>* orders) {
  constexpr std::uint64_t kHanSegments[] = {std::uint64_t{16} << 10, std::uint64_t{256} << 10};
  std::vector<std::string> there;
  for (const auto& [name, value] : first.timings.variables) {
    if (name == kPriorities) there = split_list(value);
  }
  const HanRole role = han_role(first);
  const auto of_han = stacks::han_operations();
  for (CollectivesOrder& order : *orders) {
    if (role == HanRole::kNone || std::ranges::find(of_han, order.operation) == of_han.end())
      continue;
    const auto own_choice = [&](std::string_view component, std::uint64_t segment_bytes) {
      const auto known = std::ranges::find(order.components, component);
      const auto index = static_cast<int>(known - order.components.begin());
      if (known == order.components.end()) order.components.emplace_back(component);
      order.candidates.push_back({kComponentsOwnChoice + index, segment_bytes});
    };
    if (role == HanRole::kCompetes) {
      order.components.emplace_back(stacks::kTunedComponent);
      own_choice(stacks::kHanComponent, 0);
      continue;
    }
    own_choice(stacks::kTunedComponent, 0);
    for (const std::uint64_t segment_bytes : kHanSegments)
      own_choice(stacks::kHanComponent, segment_bytes);
    for (const std::string& component : there) {
      if (stacks::is_han_alternative(component)) own_choice(component, 0);
    }
  }
}

void leave_out_impossible(const std::vector<std::string>& known, std::int64_t ranks,
                          std::int64_t ranks_per_node, std::vector<CollectivesOrder>* orders) {
  for (CollectivesOrder& order : *orders) {
    const Operation all = operation_of("mpich", order.operation);
    const stacks::MpichOperation& operation = *stacks::find_mpich_operation(order.operation);
    std::erase_if(order.candidates, [&](const CollectiveCandidate& candidate) {
      const std::string& name = all.algorithms.at(static_cast<std::size_t>(candidate.algorithm));
      return !stacks::has_way(operation, name, known) ||
             !stacks::is_possible(operation, name, static_cast<int>(ranks), ranks_per_node > 1);
    });
    order.sizes_bytes = sizes_of(all, order);
  }
}

std::vector<stacks::ExportedFile> write_trials(const stacks::MpichTables& tables,
                                               const std::vector<CollectivesOrder>& orders,
                                               const std::vector<int>& ranks) {
  std::vector<stacks::MpichTrial> trials;
  for (const CollectivesOrder& order : orders) {
    const std::vector<std::string> names = algorithms_of("mpich", order.operation);
    stacks::MpichTrial& trial = trials.emplace_back();
    trial.operation = order.operation;
    trial.sizes_bytes = order.sizes_bytes;
    for (const CollectiveCandidate& candidate : order.candidates) {
      trial.ways.push_back(names.at(static_cast<std::size_t>(candidate.algorithm)));
    }
  }
  const stacks::MpichTables tried = stacks::with_trials(tables, trials, ranks);
  return {
      {std::string(stacks::kMpichAlgorithmsFile), stacks::write_selection(tried.algorithms)},
      {std::string(stacks::kMpichCompositionsFile), stacks::write_selection(tried.compositions)}};
}

CollectivesOrder own_choice_only(CollectivesOrder order) {
  order.candidates = {{0, 0}};
  order.step_bytes = 0;
  order.components.clear();
  return order;
}

bool is_collectives_order(const std::string& text) { return text.starts_with(kMark); }

std::string to_text(const CollectivesOrder& order) {
  std::vector<std::string> candidates;
  for (const CollectiveCandidate& each : order.candidates) {
    candidates.push_back(fmt::format("{}x{}", each.algorithm, each.segment_bytes));
  }
  return fmt::format("{}{}/candidates:{}/sizes:{}/step:{}/components:{}/budget:{:.0f}/seed:{}",
                     kMark, order.operation, fmt::join(candidates, ","),
                     fmt::join(order.sizes_bytes, ","), order.step_bytes,
                     fmt::join(order.components, ","), order.budget_ns, order.seed);
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
    if (key == "step") order.step_bytes = number_from(value);
    for (const std::string& word : split_list(value)) {
      if (key == "candidates") order.candidates.push_back(candidate_from(word));
      if (key == "sizes") order.sizes_bytes.push_back(number_from(word));
      if (key == "components") order.components.push_back(word);
    }
  }
  const bool known = stacks::find_tuned_operation(order.operation) != nullptr;
  const bool empty = order.candidates.empty() || order.sizes_bytes.empty();
  const std::uint64_t below = order.candidates.size() * order.step_bytes;
  const bool chosen = std::ranges::all_of(order.candidates, [&](const auto& candidate) {
    const int component = candidate.algorithm - kComponentsOwnChoice;
    return component < 0 || static_cast<std::size_t>(component) < order.components.size();
  });
  if (!known || empty || !chosen || below > *std::ranges::min_element(order.sizes_bytes)) {
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

std::vector<Sample> samples_of(std::string_view stack, const LaunchedCollectives& launched,
                               const CollectivesOrder& order, const Fields& settings,
                               std::uint32_t first_round) {
  const CollectivesResult& result = launched.result;
  const std::vector<std::string> algorithms = algorithms_of(stack, order.operation);
  std::vector<Sample> samples;
  for (const StackCell& cell : result.cells) {
    if (cell.rounds_ns.empty()) continue;
    Sample& sample = samples.emplace_back();
    sample.size_bytes = cell.size_bytes;
    sample.condition = {.benchmark = std::string(benchmark::kStackCollective),
                        .variant = stacks::to_variant(settings),
                        .mpi = launched.library,
                        .operation = order.operation,
                        .algorithm = algorithm_name(algorithms, cell.candidate.algorithm, order),
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

}  // namespace nmt::sampler
