// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/mpich_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "core/error.h"
#include "core/json.h"

namespace nmt::stacks {
namespace {

constexpr std::size_t kDepthMax = 64;

// MPICH maps a file into memory and reads until json-c has seen what follows the table. Where the
// file fills its last page, that is beyond the map. Larger pages are multiples of this.
constexpr std::size_t kPageBytes = 4096;

// Words with a blank on each side.
constexpr std::string_view kCollectives =
    " allgather allgatherv allreduce alltoall alltoallv alltoallw barrier bcast exscan gather "
    "gatherv iallgather iallgatherv iallreduce ialltoall ialltoallv ialltoallw ibarrier ibcast "
    "iexscan igather igatherv ineighbor_allgather ineighbor_allgatherv ineighbor_alltoall "
    "ineighbor_alltoallv ineighbor_alltoallw ireduce ireduce_scatter ireduce_scatter_block iscan "
    "iscatter iscatterv neighbor_allgather neighbor_allgatherv neighbor_alltoall "
    "neighbor_alltoallv neighbor_alltoallw reduce reduce_scatter reduce_scatter_block scan scatter "
    "scatterv ";

// The values of a test, and the collectives for which MPICH supports it; for others MPICH ends the
// program.
struct Test {
  std::string_view name;
  std::string_view values;  // after the =, with a blank on each side; "any" is always allowed
  bool counts = false;      // <N and <=N are allowed too
  std::string_view collectives = {};  // empty: all
};
constexpr std::string_view kReductions =
    " allreduce iallreduce reduce ireduce reduce_scatter ireduce_scatter reduce_scatter_block "
    "ireduce_scatter_block ";
constexpr std::array kTests = {
    Test{"comm_type", " intra inter "},
    Test{"comm_size", " pow2 node_comm_size ", true},
    Test{"comm_avg_ppn", " ", true},
    Test{"comm_hierarchy", " parent node_roots node flat "},
    Test{"is_multi_threaded", " yes no "},
    Test{"is_node_consecutive", " yes no "},
    Test{"is_commutative", " yes no ", false, kReductions},
    Test{"is_op_built_in", " yes no ", false, " allreduce iallreduce reduce ireduce "},
    Test{"is_block_regular", " yes no ", false, " reduce_scatter ireduce_scatter "},
    Test{"is_sendbuf_inplace", " yes no ", false,
         " alltoall alltoallv alltoallw ialltoall ialltoallv ialltoallw "},
    Test{"avg_msg_size", " ", true,
         " allreduce iallreduce bcast ibcast reduce ireduce alltoall ialltoall "},
    Test{
        "total_msg_size", " ", true,
        " allreduce iallreduce bcast ibcast reduce ireduce alltoall ialltoall alltoallv ialltoallv "
        "alltoallw ialltoallw allgather iallgather allgatherv iallgatherv gather igather scatter "
        "iscatter reduce_scatter ireduce_scatter reduce_scatter_block ireduce_scatter_block "},
    Test{"count", " ", true,
         " bcast allreduce iallreduce reduce ireduce allgather iallgather allgatherv iallgatherv "
         "reduce_scatter ireduce_scatter reduce_scatter_block ireduce_scatter_block "},
};

bool holds(std::string_view words, std::string_view word) {
  return !word.empty() && words.find(fmt::format(" {} ", word)) != std::string_view::npos;
}

// What an algorithm must be given: MPICH takes any number for what is missing, and ignores what it
// does not know.
struct Parameters {
  std::string_view leaf;
  std::string_view names;  // words with a blank on each side
};
constexpr std::string_view kTree = " tree_type k chunk_size buffer_per_child ";
constexpr std::string_view kExchange = " k single_phase_recv ";
constexpr std::array kParameters = {
    Parameters{"algorithm=MPIR_Allgather_intra_k_brucks", " k "},
    Parameters{"algorithm=MPIR_Allgather_intra_recexch_doubling", kExchange},
    Parameters{"algorithm=MPIR_Allgather_intra_recexch_halving", kExchange},
    Parameters{"algorithm=MPIR_Allreduce_intra_tree", kTree},
    Parameters{"algorithm=MPIR_Allreduce_intra_recexch", kExchange},
    Parameters{"algorithm=MPIR_Allreduce_intra_k_reduce_scatter_allgather", kExchange},
    Parameters{"algorithm=MPIR_Alltoall_intra_k_brucks", " k "},
    Parameters{"algorithm=MPIR_Barrier_intra_k_dissemination", " k "},
    Parameters{"algorithm=MPIR_Barrier_intra_recexch", kExchange},
    Parameters{"algorithm=MPIR_Bcast_intra_tree", " tree_type k is_non_blocking "},
    Parameters{"algorithm=MPIR_Bcast_intra_pipelined_tree",
               " tree_type k is_non_blocking chunk_size recv_pre_posted "},
};
constexpr std::string_view kTreeTypes =
    " kary knomial_1 knomial_2 topology_aware topology_aware_k topology_wave ";

bool is_any(std::string_view test) { return test.ends_with("=any") || test == "any"; }

// Reads nested objects and comments, and nothing else.
class Scanner {
 public:
  Scanner(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  Selection read_all() {
    Selection all = read_level(0);
    if (next() != '\0') fail(line_, "more than one table");
    return all;
  }

  [[noreturn]] void fail(std::size_t line, std::string_view problem) const {
    throw Error(Fault::kFailed, fmt::format("{}: line {}: {}", what_, line, problem));
  }

 private:
  char next() {
    for (;;) {
      while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front())) != 0) {
        pass(1);
      }
      if (text_.starts_with("//")) {
        pass(std::min(text_.size(), text_.find('\n')));
      } else if (text_.starts_with("/*")) {
        pass(size_of_comment());
      } else {
        return text_.empty() ? '\0' : text_.front();
      }
    }
  }

  // As json-c finds its end: it takes a star with the character behind it, so not in "**/".
  std::size_t size_of_comment() const {
    std::size_t star = text_.find('*', 2);
    while (star != std::string_view::npos && text_.substr(star + 1, 1) != "/") {
      star = text_.find('*', star + 2);
    }
    if (star == std::string_view::npos) fail(line_, "a comment has no end");
    return star + 2;
  }

  void pass(std::size_t bytes) {
    line_ += static_cast<std::size_t>(std::ranges::count(text_.substr(0, bytes), '\n'));
    text_.remove_prefix(bytes);
  }

  void take(char wanted) {
    const char found = next();
    if (found != wanted) {
      fail(line_, found == '\0' ? fmt::format("the file ends; expected '{}'", wanted)
                                : fmt::format("found '{}'; expected '{}'",
                                              json::printable(std::string(1, found)), wanted));
    }
    text_.remove_prefix(1);
  }

  // MPICH removes the blanks from a test.
  std::string read_test() {
    take('"');
    const std::size_t end = text_.find_first_of("\"\\\n");
    if (end == std::string_view::npos || text_[end] != '"')
      fail(line_, "a test has no closing quote");
    std::string test(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    std::erase(test, ' ');
    return test;
  }

  Selection read_level(std::size_t depth) {
    if (depth > kDepthMax) fail(line_, "too many levels");
    Selection level;
    take('{');
    if (next() == '}') return take('}'), level;
    for (;;) {
      SelectionNode& node = level.emplace_back();
      node.test = read_test();
      node.line = line_;
      take(':');
      node.below = read_level(depth + 1);
      if (next() == '}') break;
      take(',');
    }
    take('}');
    return level;
  }

  std::string_view text_;
  std::string_view what_;
  std::size_t line_ = 1;
};

// Checks a whole table, level by level.
class Checker {
 public:
  Checker(const Scanner& scanner, const std::vector<std::string>& known, bool has_parameters)
      : scanner_(scanner), known_(known), has_parameters_(has_parameters) {}

  void check(const Selection& all) {
    complete_ = has_leaf(all, "algorithm=MPIR_");
    std::string here = " ";
    for (const SelectionNode& node : all) {
      constexpr std::string_view kKey = "collective=";
      if (!node.test.starts_with(kKey))
        fail(node, "expected collective=NAME, as for all outermost keys");
      collective_ = node.test.substr(kKey.size());
      if (!holds(kCollectives, collective_)) fail(node, "no such collective");
      if (holds(here, collective_)) fail(node, "given twice");
      here += collective_ + " ";
      check_level(node.below, node);
    }
    for (std::string_view rest = kCollectives.substr(1); complete_ && !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find(' '));
      rest.remove_prefix(name.size() + 1);
      if (holds(here, name)) continue;
      scanner_.fail(
          all.back().line,
          fmt::format("collective={} is missing: a call of it would end the program", name));
    }
  }

 private:
  static bool has_leaf(const Selection& level, std::string_view beginning) {
    return std::ranges::any_of(level, [&](const SelectionNode& node) {
      return node.test.starts_with(beginning) || has_leaf(node.below, beginning);
    });
  }

  [[noreturn]] void fail(const SelectionNode& node, std::string_view problem) const {
    scanner_.fail(node.line, fmt::format("'{}': {}", json::printable(node.test), problem));
  }

  // "NAME=VALUE": {} below an algorithm.
  void check_parameters(const SelectionNode& leaf) const {
    if (!has_parameters_) {
      if (leaf.below.empty()) return;
      fail(leaf.below.front(), "algorithms have parameters from MPICH 4.2 on");
    }
    const auto known = std::ranges::find(kParameters, leaf.test, &Parameters::leaf);
    std::string here = " ";
    for (const SelectionNode& node : leaf.below) {
      const std::size_t equals = node.test.find('=');
      const std::string name = node.test.substr(0, equals);
      if (equals == std::string::npos || !node.below.empty())
        fail(node, "an algorithm has only parameters below it: \"NAME=VALUE\": {}");
      if (known == kParameters.end() || !holds(known->names, name))
        fail(node, "the algorithm has no such parameter, and MPICH ignores it");
      if (holds(here, name)) fail(node, "given twice");
      here += name + " ";
      const std::string value = node.test.substr(equals + 1);
      const bool number = !value.empty() && value.size() <= 9 &&
                          value.find_first_not_of("0123456789") == std::string::npos;
      const bool right =
          name == "tree_type" ? holds(kTreeTypes, value) : number && (name != "k" || value != "0");
      if (!right) fail(node, "the parameter cannot have this value");
    }
    if (known == kParameters.end()) return;
    for (std::string_view rest = known->names.substr(1); !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find(' '));
      rest.remove_prefix(name.size() + 1);
      if (!holds(here, name))
        fail(leaf, fmt::format("its parameter {} is missing: MPICH would take any number", name));
    }
  }

  void check_leaf(const SelectionNode& node) const {
    check_parameters(node);
    std::string name = node.test.substr(node.test.find('=') + 1);
    std::ranges::transform(name, name.begin(), [](char c) { return std::tolower(c); });
    const bool shared_memory = name.starts_with(fmt::format("mpidi_posix_mpi_{}_", collective_));
    const bool known = known_.empty() || shared_memory ||  // listed nowhere else
                       std::ranges::find(known_, node.test) != known_.end();
    if (!known) fail(node, "the library has no such algorithm");
    std::string_view rest = name;
    rest.remove_prefix(std::min(rest.size(), rest.find('_') + 1));  // mpir_, mpidi_
    const bool named = rest.starts_with(collective_ + "_");
    rest.remove_prefix(std::min(rest.size(), collective_.size() + 1));
    const bool own = named && (rest.starts_with("intra_") || rest.starts_with("inter_") ||
                               rest.starts_with("allcomm_"));
    if (!own && !shared_memory) fail(node, fmt::format("not an algorithm of {}", collective_));
    const bool table_of_algorithms = node.test.starts_with("algorithm=MPIR_");
    if (table_of_algorithms != complete_) fail(node, "the file mixes two kinds of tables");
  }

  void check_test(const SelectionNode& node) const {
    if (node.test == "any") return;
    const std::size_t end = node.test.find_first_of("<=");
    const auto test = std::ranges::find(kTests, node.test.substr(0, end), &Test::name);
    if (end == std::string::npos || test == kTests.end())
      fail(node, "MPICH does not know this test");
    std::string_view value = std::string_view(node.test).substr(end + 1);
    const bool below = node.test[end] == '<';
    if (below && value.starts_with('=')) value.remove_prefix(1);
    int number = 0;
    const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool counts = error == std::errc() && rest == value.data() + value.size() && number >= 0;
    const bool power = node.test == "count<pow2";
    const bool right =
        below ? (test->counts && counts) || power : value == "any" || holds(test->values, value);
    if (!right) fail(node, "the test cannot have this value");
    if (!test->collectives.empty() && value != "any" && !holds(test->collectives, collective_)) {
      fail(node, fmt::format("MPICH cannot test this for {}: the call would end the program",
                             collective_));
    }
  }

  // Whether the tests of a level include all values of one test, or `any`.
  static bool covers_all(const Selection& level) {
    if (is_any(level.back().test)) return true;
    return std::ranges::any_of(kTests, [&](const Test& test) {
      if (test.counts) return false;
      std::string_view rest = test.values.substr(1);
      while (!rest.empty()) {
        const std::string_view value = rest.substr(0, rest.find(' '));
        rest.remove_prefix(value.size() + 1);
        const std::string wanted = fmt::format("{}={}", test.name, value);
        if (std::ranges::find(level, wanted, &SelectionNode::test) == level.end()) return false;
      }
      return true;
    });
  }

  void check_level(const Selection& level, const SelectionNode& above) const {
    if (level.empty()) fail(above, "no key below it: a call that gets here ends the program");
    if (level.front().is_leaf()) {
      if (level.size() > 1) fail(level[1], "never used, because an algorithm is on the same level");
      return check_leaf(level.front());
    }
    for (std::size_t i = 0; i < level.size(); ++i) {
      const SelectionNode& node = level[i];
      if (node.is_leaf()) fail(node, "an algorithm and tests are on the same level");
      check_test(node);
      const auto same = std::ranges::find(level, node.test, &SelectionNode::test);
      if (&*same != &node) fail(node, "given twice: MPICH uses only the last one");
      if (is_any(node.test) && i + 1 < level.size())
        fail(level[i + 1], "never used, because it follows any");
      check_level(node.below, node);
    }
    const bool counts = level.back().test.find('<') != std::string::npos;
    if ((complete_ || counts) && !covers_all(level)) {
      fail(level.back(),
           "the last key of a level must be any: a call that matches no key of the level would end "
           "the "
           "program");
    }
  }

  const Scanner& scanner_;
  const std::vector<std::string>& known_;
  bool has_parameters_;
  std::string collective_;
  bool complete_ = false;
};

void write_level(const Selection& level, std::size_t depth, std::string* text) {
  if (level.empty()) {
    *text += "{}";
    return;
  }
  *text += "{\n";
  for (const SelectionNode& node : level) {
    *text += fmt::format("{}\"{}\": ", std::string(2 * depth + 2, ' '), node.test);
    write_level(node.below, depth + 1, text);
    *text += &node == &level.back() ? "\n" : ",\n";
  }
  *text += std::string(2 * depth, ' ') + "}";
}

}  // namespace

bool SelectionNode::operator==(const SelectionNode& other) const {
  return test == other.test && below == other.below;
}

Selection leaf(std::string_view algorithm_or_composition) {
  return {{.test = std::string(algorithm_or_composition)}};
}

Selection read_selection(std::string_view text, std::string_view what,
                         const std::vector<std::string>& known, bool has_parameters) {
  Scanner scanner(text, what);
  Selection all = scanner.read_all();
  if (all.empty()) scanner.fail(1, "the table is empty");
  Checker(scanner, known, has_parameters).check(all);
  return all;
}

std::string write_selection(const Selection& selection, std::string_view comments) {
  std::string text(comments);
  write_level(selection, 0, &text);
  text += '\n';
  if (text.size() % kPageBytes == 0) text += '\n';
  return text;
}

}  // namespace nmt::stacks
