// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/openmpi_tuned_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/json.h"
#include "stacks/settings.h"

namespace nmt {
namespace {

constexpr std::string_view kHeader = "rule-file-version-2";
constexpr std::uint64_t kCountMax = 100'000;  // of any item in one file

// Reads numbers one after the other, each with its line.
class Numbers {
 public:
  Numbers(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  bool at_end() {
    skip();
    return text_.empty();
  }

  std::uint64_t next(std::string_view meaning, std::uint64_t most) {
    skip();
    const std::string_view word = text_.substr(0, text_.find_first_of(" \t\r\n#"));
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (word.empty()) fail(fmt::format("the file ends; expected {}", meaning));
    if (error != std::errc() || end != word.data() + word.size()) {
      fail(fmt::format("'{}' is not {}", json::printable(word), meaning));
    }
    if (number > most) fail(fmt::format("{} {} is above {}", meaning, number, most));
    text_.remove_prefix(word.size());
    return number;
  }

  bool header() {
    skip();
    if (!text_.starts_with(kHeader)) return false;
    text_.remove_prefix(kHeader.size());
    return true;
  }

  // Whether the line of the last number continues: the fifth number of version 2.
  bool line_goes_on() const {
    const std::size_t next = text_.find_first_not_of(" \t\r");
    return next != std::string_view::npos && text_[next] != '\n' && text_[next] != '#';
  }

  [[noreturn]] void fail(std::string_view problem) const {
    throw Error(Fault::kFailed, fmt::format("{}: line {}: {}", what_, line_, problem));
  }

 private:
  void skip() {
    while (!text_.empty()) {
      if (text_.front() == '#') {
        text_.remove_prefix(std::min(text_.size(), text_.find('\n')));
      } else if (text_.front() == '\n') {
        ++line_;
        text_.remove_prefix(1);
      } else if (text_.front() == ' ' || text_.front() == '\t' || text_.front() == '\r') {
        text_.remove_prefix(1);
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::string_view what_;
  std::size_t line_ = 1;
};

std::vector<TunedRule> read_rules(Numbers& numbers, const TunedOperation& operation, bool second) {
  std::vector<TunedRule> rules(numbers.next("a number of message sizes", kCountMax));
  if (rules.empty()) numbers.fail("a communicator size without message sizes");
  const auto algorithms = operation.algorithms.size();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    TunedRule& rule = rules[i];
    rule.size_bytes = numbers.next("a message size", std::uint64_t{1} << 62);
    if (i == 0 && rule.size_bytes != 0) {
      numbers.fail(fmt::format("the first message size must be 0, not {}", rule.size_bytes));
    }
    if (i > 0 && rule.size_bytes <= rules[i - 1].size_bytes) {
      numbers.fail(fmt::format("message sizes must ascend: {} follows {}", rule.size_bytes,
                               rules[i - 1].size_bytes));
    }
    rule.algorithm = static_cast<int>(
        numbers.next(fmt::format("an algorithm of {}", operation.name), algorithms - 1));
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
       {"default", "linear", "bruck", "recursive_doubling", "ring", "neighbor", "two_proc"}},
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
  Numbers numbers(text, what);
  const bool second = numbers.header();
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
      rules[name][ranks] = read_rules(numbers, *operation, second);
    }
  }
  if (!numbers.at_end()) numbers.fail("more than the counts before it announce");
  return rules;
}

}  // namespace nmt
