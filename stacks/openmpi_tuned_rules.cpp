// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/openmpi_tuned_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "core/version.h"
#include "stacks/numbers_file.h"
#include "stacks/settings.h"

namespace nmt::stacks {
namespace {

constexpr std::string_view kHeader = "rule-file-version-2";
constexpr std::uint64_t kCountMax = 100'000;  // of any item in one file

std::vector<TunedRule> read_rules(NumbersFile& numbers, const TunedOperation& operation,
                                  std::string_view version, bool second) {
  std::vector<TunedRule> rules(numbers.next("a number of message sizes", kCountMax));
  if (rules.empty()) numbers.fail("a communicator size without message sizes");
  std::optional<std::uint64_t> before;
  for (TunedRule& rule : rules) {
    rule.size_bytes = numbers.next_message_size(before);
    before = rule.size_bytes;
    rule.algorithm = static_cast<int>(numbers.next(
        fmt::format("an algorithm of {}", operation.name), operation.algorithms.size() - 1));
    if (static_cast<std::size_t>(rule.algorithm) >= algorithms_in(operation, version)) {
      numbers.fail(fmt::format("Open MPI {} has no algorithm {} of {}, which is {} in later ones",
                               version, rule.algorithm, operation.name,
                               operation.algorithms[static_cast<std::size_t>(rule.algorithm)]));
    }
    rule.faninout = static_cast<int>(numbers.next("a fan in or out", 1 << 20));
    rule.segment_bytes = numbers.next("a segment size", std::uint64_t{1} << 31);
    if (second && numbers.line_goes_on()) numbers.next("a number of requests", 1 << 20);
  }
  return rules;
}

}  // namespace

// Algorithms as in coll_tuned_*_decision.c; ids as in coll_base_functions.h (COLLTYPE).
const std::vector<TunedOperation>& tuned_operations() {
  static const std::vector<TunedOperation> operations = {
      {"allgather",
       0,
       true,
       {"default", "linear", "bruck", "recursive_doubling", "ring", "neighbor", "two_proc",
        "sparbit"},
       7},
      {"allreduce",
       2,
       false,
       {"default", "basic_linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring",
        "rabenseifner"}},
      {"alltoall",
       3,
       true,
       {"default", "linear", "pairwise", "modified_bruck", "linear_sync", "two_proc"}},
      {"bcast",
       7,
       false,
       {"default", "basic_linear", "chain", "pipeline", "split_binary_tree", "binary_tree",
        "binomial", "knomial", "scatter_allgather", "scatter_allgather_ring"}},
      {"reduce",
       11,
       false,
       {"default", "linear", "chain", "pipeline", "binary", "binomial", "in-order_binary",
        "rabenseifner"}},
  };
  return operations;
}

const TunedOperation* find_tuned_operation(std::string_view name) {
  const auto& all = tuned_operations();
  const auto found = std::ranges::find(all, name, &TunedOperation::name);
  return found == all.end() ? nullptr : &*found;
}

bool takes_segments(std::string_view algorithm) {
  constexpr std::string_view kSegmented[] = {"chain",         "pipeline", "split_binary_tree",
                                             "binary_tree",   "binary",   "in-order_binary",
                                             "segmented_ring"};
  return std::ranges::find(kSegmented, algorithm) != std::end(kSegmented);
}

std::size_t algorithms_in(const TunedOperation& operation, std::string_view version) {
  return older(version, "5.0") ? operation.before_5 : operation.algorithms.size();
}

std::string write_tuned_rules(const TunedRules& rules, std::string_view opening) {
  std::string text(opening);
  text += fmt::format("{} # collectives\n", rules.size());
  std::vector<const TunedOperation*> operations;
  for (const auto& [name, sizes] : rules) operations.push_back(find_tuned_operation(name));
  std::ranges::sort(operations, {}, &TunedOperation::id);
  for (const TunedOperation* operation : operations) {
    const auto& sizes = rules.at(std::string(operation->name));
    text += fmt::format("{} # {}\n{} # sizes of communicators\n", operation->id, operation->name,
                        sizes.size());
    for (const auto& [ranks, list] : sizes) {
      text += fmt::format("{} # ranks\n{} # message sizes, {}\n", ranks, list.size(),
                          operation->total ? "of all ranks together" : "of one rank");
      for (const TunedRule& rule : list) {
        text += fmt::format("{} {} {} {} # {}\n", rule.size_bytes, rule.algorithm, rule.faninout,
                            rule.segment_bytes,
                            operation->algorithms[static_cast<std::size_t>(rule.algorithm)]);
      }
    }
  }
  return text;
}

TunedRules read_tuned_rules(std::string_view text, std::string_view what,
                            std::string_view version) {
  NumbersFile numbers(text, what);
  const bool second = numbers.skip_word(kHeader);
  const bool reads_second =
      older(version, "5.0") ? !older(version, "4.1.8") : !older(version, "5.0.7");
  if (second && !reads_second) {
    numbers.fail(
        fmt::format("Open MPI {} does not know '{}'; 4.1.8 and 5.0.7 do", version, kHeader));
  }
  TunedRules rules;
  const std::uint64_t count = numbers.next("a number of collectives", kCountMax);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto id = static_cast<int>(numbers.next("a collective's number", 15));
    const auto& known = tuned_operations();
    const auto operation = std::ranges::find(known, id, &TunedOperation::id);
    if (operation == known.end()) {
      numbers.fail(fmt::format("collective {} is not one that nmadtune exports", id));
    }
    const std::string name(operation->name);
    if (rules.contains(name)) numbers.fail(fmt::format("{} is given twice", name));
    const std::uint64_t sizes = numbers.next("a number of communicator sizes", kCountMax);
    for (std::uint64_t k = 0; k < sizes; ++k) {
      const auto ranks = static_cast<int>(numbers.next("a communicator size", 1 << 30));
      if (!rules[name].empty() && ranks <= rules[name].rbegin()->first) {
        numbers.fail(fmt::format("communicator sizes must ascend: {} follows {}", ranks,
                                 rules[name].rbegin()->first));
      }
      rules[name][ranks] = read_rules(numbers, *operation, version, second);
    }
  }
  if (!numbers.at_end())
    numbers.fail("the file goes on after the last rule that its counts announce");
  return rules;
}

}  // namespace nmt::stacks
