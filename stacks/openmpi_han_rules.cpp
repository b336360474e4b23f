// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/openmpi_han_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "stacks/numbers_file.h"
#include "stacks/openmpi_tuned_rules.h"
#include "stacks/settings.h"

namespace nmt::stacks {
namespace {

constexpr std::string_view kComponents[] = {"self", "basic", "libnbc",      kTunedComponent,
                                            "sm",   "adapt", kHanComponent, "xhc"};
constexpr std::uint64_t kProgramsLevel = 2;  // GLOBAL_COMMUNICATOR
constexpr std::uint64_t kCountMax = 100'000;

bool is_of_han(std::string_view operation) {
  return std::ranges::find(han_operations(), operation) != han_operations().end();
}

std::vector<HanRule> read_sizes(NumbersFile& numbers) {
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
  }
  return rules;
}

std::map<int, std::vector<HanRule>> read_communicators(NumbersFile& numbers) {
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
    sizes[ranks] = read_sizes(numbers);
  }
  return sizes;
}

std::string_view component_for(const std::string& algorithm) {
  if (algorithm == kOwnChoice || algorithm == kHanComponent) return kHanComponent;
  return is_han_alternative(algorithm) ? std::string_view(algorithm) : kTunedComponent;
}

}  // namespace

// Of the others, "self" and "sm" serve one process or one node, "libnbc" what does not block, and
// "basic" has what coll/tuned calls linear.
bool is_han_alternative(std::string_view component) {
  return component == "adapt" || component == "xhc";
}

HanRules han_rules_of(std::span<const RuledCell> cells) {
  const std::set<std::string> ruled = ruled_operations(cells);
  HanRules rules;
  std::map<std::pair<std::string, int>, double> last_bytes;
  for (const RuledCell& cell : cells) {  // in order of operation, ranks and size
    if (!ruled.contains(cell.operation) || !is_of_han(cell.operation)) continue;
    const int ranks = static_cast<int>(cell.ranks);
    const auto here = static_cast<double>(cell.size_bytes);
    std::vector<HanRule>& sizes = rules[cell.operation][ranks];
    double& before = last_bytes[{cell.operation, ranks}];
    const std::string_view component = component_for(cell.algorithm);
    const double from = sizes.empty() ? 0 : std::ceil(std::sqrt(before * here));
    if (sizes.empty() || sizes.back().component != component) {
      sizes.push_back({static_cast<std::uint64_t>(from), std::string(component)});
    }
    before = here;
  }
  for (auto& [operation, sizes] : rules) {
    const int largest = sizes.rbegin()->first;
    if (sizes.begin()->first > 1) sizes[1] = {{0, std::string(kHanComponent)}};
    sizes[2 * largest] = {{0, std::string(kHanComponent)}};
  }
  return rules;
}

std::string write_han_rules(const HanRules& rules, std::string_view opening) {
  std::string text(opening);
  text += fmt::format("{} # collectives\n", rules.size());
  for (const auto& [name, sizes] : rules) {
    text += fmt::format("{} # {}\n1 # levels\n{} # the program's communicator\n",  // one level
                        find_tuned_operation(name)->id, name, kProgramsLevel);
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

HanRules read_han_rules(std::string_view text, std::string_view what) {
  NumbersFile numbers(text, what);
  HanRules rules;
  const std::uint64_t count = numbers.next("a number of collectives", kCountMax);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto id = static_cast<int>(numbers.next("a collective's number", 15));
    const auto& known = tuned_operations();
    const auto operation = std::ranges::find(known, id, &TunedOperation::id);
    if (operation == known.end() || !is_of_han(operation->name)) {
      numbers.fail(fmt::format("collective {} is not one that nmadtune exports for coll/han", id));
    }
    const std::string name(operation->name);
    if (rules.contains(name)) numbers.fail(fmt::format("{} is given twice", name));
    if (numbers.next("a number of levels", kCountMax) != 1 ||
        numbers.next("a level", kProgramsLevel) != kProgramsLevel) {
      numbers.fail(fmt::format("nmadtune exports rules for level {} only", kProgramsLevel));
    }
    rules[name] = read_communicators(numbers);
  }
  if (!numbers.at_end())
    numbers.fail("the file goes on after the last rule that its counts announce");
  return rules;
}

}  // namespace nmt::stacks
