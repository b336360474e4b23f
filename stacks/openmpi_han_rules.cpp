// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/openmpi_han_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "core/version.h"
#include "stacks/numbers_file.h"
#include "stacks/settings.h"

namespace nmt::stacks {
namespace {

constexpr std::string_view kNoneOfItsOwn = "libnbc";  // allreduce
constexpr std::string_view kComponents[] = {"self", "basic", kNoneOfItsOwn, kTunedComponent,
                                            "sm",   "adapt", kHanComponent, "xhc"};
constexpr std::uint64_t kProgramsLevel = 2;  // GLOBAL_COMMUNICATOR
constexpr std::uint64_t kCountMax = 100'000;

// What coll/han answers (mca_coll_han_is_coll_dynamic_implemented), by the number of COLLTYPE.
struct HanOperation {
  int id;
  std::string_view name;
};
constexpr std::array kOperations = {HanOperation{0, "allgather"}, HanOperation{1, "allgatherv"},
                                    HanOperation{2, "allreduce"}, HanOperation{6, "barrier"},
                                    HanOperation{7, "bcast"},     HanOperation{9, "gather"},
                                    HanOperation{11, "reduce"},   HanOperation{15, "scatter"}};

bool is_of_han(std::string_view operation) {
  return std::ranges::find(han_operations(), operation) != han_operations().end();
}

// Whether coll/han hands a call on to this component without harm (han_rules_for).
bool survives(std::string_view operation, std::string_view component, std::string_view version) {
  const bool has_own = component == kTunedComponent || component == "basic";
  return !has_own || operation != "allreduce" || !older(version, "5.0");
}

std::vector<HanRule> read_sizes(NumbersFile& numbers, std::string_view operation,
                                std::string_view version) {
  std::vector<HanRule> rules(numbers.next("a number of message sizes", kCountMax));
  if (rules.empty()) numbers.fail("a communicator size without message sizes");
  std::optional<std::uint64_t> before;
  for (HanRule& rule : rules) {
    rule.size_bytes = numbers.next_message_size(before);
    before = rule.size_bytes;
    rule.component = numbers.next_word("a component");
    if (std::ranges::find(kComponents, rule.component) == std::end(kComponents)) {
      numbers.fail(
          fmt::format("coll/han knows no component '{}'", json::printable(rule.component)));
    }
    if (!survives(operation, rule.component, version)) {
      numbers.fail(
          fmt::format("Open MPI {} crashes where coll/han hands an {} on to {}; write {}, "
                      "and coll/tuned answers",
                      version, operation, rule.component, kNoneOfItsOwn));
    }
  }
  return rules;
}

std::map<int, std::vector<HanRule>> read_communicators(NumbersFile& numbers,
                                                       std::string_view operation,
                                                       std::string_view version) {
  std::map<int, std::vector<HanRule>> sizes;
  const std::uint64_t count = numbers.next("a number of communicator sizes", kCountMax);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto ranks = static_cast<int>(numbers.next("a communicator size", 1 << 30));
    if (i == 0 && ranks != 1) {
      numbers.fail(fmt::format("the first communicator size must be 1, not {}", ranks));
    }
    if (!sizes.empty() && ranks <= sizes.rbegin()->first) {
      numbers.fail(fmt::format("communicator sizes must ascend: {} follows {}", ranks,
                               sizes.rbegin()->first));
    }
    sizes[ranks] = read_sizes(numbers, operation, version);
  }
  return sizes;
}

std::string_view component_for(const std::string& algorithm, std::string_view usual) {
  if (algorithm == kOwnChoice) return usual;
  if (algorithm == kHanComponent) return kHanComponent;
  return is_han_alternative(algorithm) ? std::string_view(algorithm) : kTunedComponent;
}

}  // namespace

// Of the others, "self" and "sm" serve one process or one node, "libnbc" what does not block, and
// "basic" has what coll/tuned calls linear.
bool is_han_alternative(std::string_view component) {
  return component == "adapt" || component == "xhc";
}

HanRules han_rules_of(std::span<const RuledCell> cells, std::string_view usual) {
  const std::set<std::string> ruled = ruled_operations(cells);
  HanRules rules;
  std::map<std::pair<std::string, int>, double> last_bytes;
  for (const RuledCell& cell : cells) {  // in order of operation, ranks and size
    if (!ruled.contains(cell.operation) || !is_of_han(cell.operation)) continue;
    const int ranks = static_cast<int>(cell.ranks);
    const auto here = static_cast<double>(cell.size_bytes);
    std::vector<HanRule>& sizes = rules[cell.operation][ranks];
    double& before = last_bytes[{cell.operation, ranks}];
    const std::string_view component = component_for(cell.algorithm, usual);
    const double from = sizes.empty() ? 0 : std::ceil(std::sqrt(before * here));
    if (sizes.empty() || sizes.back().component != component) {
      sizes.push_back({static_cast<std::uint64_t>(from), std::string(component)});
    }
    before = here;
  }
  const std::vector<HanRule> usually = {{0, std::string(usual)}};
  bool handed_over = false;  // from coll/tuned to another component
  for (auto& [operation, sizes] : rules) {
    for (const auto& [ranks, list] : sizes) handed_over = handed_over || list != usually;
    const int largest = sizes.rbegin()->first;
    if (sizes.begin()->first > 1) sizes[1] = usually;
    sizes[2 * largest] = usually;
  }
  if (usual == kHanComponent) return rules;
  if (!handed_over) return {};
  for (const HanOperation& each : kOperations) {
    rules.try_emplace(std::string(each.name), HanRules::mapped_type{{1, usually}});
  }
  return rules;
}

HanRules han_rules_for(HanRules rules, std::string_view version) {
  for (auto& [operation, communicators] : rules) {
    for (auto& [ranks, sizes] : communicators) {
      for (HanRule& rule : sizes) {
        if (!survives(operation, rule.component, version)) rule.component = kNoneOfItsOwn;
      }
    }
  }
  return rules;
}

std::string write_han_rules(const HanRules& rules, std::string_view opening) {
  std::string text(opening);
  text += fmt::format("{} # collectives\n", rules.size());
  for (const auto& [name, sizes] : rules) {
    text += fmt::format("{} # {}\n1 # levels\n{} # the program's communicator\n",  // one level
                        std::ranges::find(kOperations, name, &HanOperation::name)->id, name,
                        kProgramsLevel);
    text += fmt::format("{} # sizes of communicators\n", sizes.size());
    for (const auto& [ranks, list] : sizes) {
      text += fmt::format("{} # ranks\n{} # message sizes, of one rank\n", ranks, list.size());
      for (const HanRule& rule : list) {
        text += fmt::format("{} {}\n", rule.size_bytes, rule.component);
      }
    }
  }
  return text;
}

HanRules read_han_rules(std::string_view text, std::string_view what, std::string_view version) {
  NumbersFile numbers(text, what);
  HanRules rules;
  const std::uint64_t count = numbers.next("a number of collectives", kCountMax);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto id = static_cast<int>(numbers.next("a collective's number", 15));
    const auto operation = std::ranges::find(kOperations, id, &HanOperation::id);
    if (operation == kOperations.end()) {
      numbers.fail(fmt::format("collective {} is not one that nmadtune exports for coll/han", id));
    }
    const std::string name(operation->name);
    if (rules.contains(name)) numbers.fail(fmt::format("{} is given twice", name));
    if (numbers.next("a number of levels", kCountMax) != 1 ||
        numbers.next("a level", kProgramsLevel) != kProgramsLevel) {
      numbers.fail(fmt::format("nmadtune exports rules for level {} only", kProgramsLevel));
    }
    rules[name] = read_communicators(numbers, name, version);
  }
  if (!numbers.at_end())
    numbers.fail("the file goes on after the last rule that its counts announce");
  return rules;
}

}  // namespace nmt::stacks
