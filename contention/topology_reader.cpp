// SPDX-License-Identifier: BSD-3-Clause
//
// The two texts that read_topology() understands.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "contention/hosts.h"
#include "contention/topology.h"
#include "core/error.h"

namespace nmt::contention {
namespace {

constexpr std::size_t kSwitchesMax = 10'000;

// One line of a text, and how a message names it.
struct Line {
  std::string text;
  std::string place;  // "FILE: line 3"
};

[[noreturn]] void refuse(const Line& line, const std::string& problem) {
  throw Error(Fault::kUsage, fmt::format("{}: {}", line.place, problem));
}

// The lines of a text; one that ends in a backslash continues on the next.
std::vector<Line> lines_of(std::string_view text, std::string_view what) {
  std::vector<Line> lines;
  std::size_t number = 0;
  bool continues = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const bool more = !line.empty() && line.back() == '\\';
    if (more) line.back() = ' ';
    if (continues) {
      lines.back().text += line;
    } else {
      lines.push_back({std::move(line), fmt::format("{}: line {}", what, number)});
    }
    continues = more;
  }
  return lines;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  constexpr std::string_view kBlanks = " \t";
  while (true) {
    const std::size_t from = text.find_first_not_of(kBlanks);
    if (from == std::string_view::npos) return words;
    text.remove_prefix(from);
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// A line of topology.conf: "SwitchName=top Switches=leaf[0-3]".
struct SwitchLine {
  Line line;
  std::string name;
  std::vector<std::string> nodes;
  std::vector<std::string> children;
};

SwitchLine switch_line_of(const Line& line) {
  SwitchLine found{.line = line};
  for (const std::string& word : words_of(line.text)) {
    if (word.front() == '#') break;
    const std::size_t equals = word.find('=');
    const std::string key = lower_case(word.substr(0, equals));
    if (equals == std::string::npos || equals + 1 == word.size()) {
      refuse(line, fmt::format("'{}' has no value", word.substr(0, 60)));
    }
    const std::string value = word.substr(equals + 1);
    try {
      if (key == "switchname") {
        found.name = value;
      } else if (key == "nodes") {
        found.nodes = expand_hosts(value);
      } else if (key == "switches") {
        found.children = expand_hosts(value);
      } else if (key != "linkspeed") {
        refuse(line, fmt::format("'{}' is not known; there is: SwitchName, Nodes, Switches, "
                                 "LinkSpeed (Slurm's plug-in topology/tree)",
                                 word.substr(0, equals).substr(0, 60)));
      }
    } catch (const Error& error) {
      if (std::string_view(error.what()).starts_with(line.place)) throw;
      refuse(line, error.what());
    }
  }
  return found;
}

Topology topology_of(const std::vector<SwitchLine>& lines) {
  std::vector<Switch> switches;
  std::map<std::string, std::size_t> index_of;
  for (const SwitchLine& one : lines) {
    if (!index_of.emplace(one.name, switches.size()).second) {
      refuse(one.line, fmt::format("switch {} is named twice", one.name));
    }
    switches.push_back({.name = one.name, .nodes = one.nodes, .parent = {}});
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::string& name : lines[i].children) {
      const auto child = index_of.find(name);
      if (child == index_of.end()) {
        refuse(lines[i].line, fmt::format("switch {} is not in this file", name));
      }
      std::optional<std::size_t>& parent = switches[child->second].parent;
      if (parent) {
        refuse(lines[i].line, fmt::format("switch {} is below {} and below {}; a tree is needed",
                                          name, lines[*parent].name, lines[i].name));
      }
      parent = i;
    }
  }
  return Topology(std::move(switches));
}

Topology read_slurm(const std::vector<Line>& lines) {
  std::vector<SwitchLine> found;
  for (const Line& line : lines) {
    SwitchLine one = switch_line_of(line);
    if (one.name.empty() && one.nodes.empty() && one.children.empty()) continue;
    if (one.name.empty()) refuse(line, "no SwitchName");
    if (found.size() == kSwitchesMax) {
      refuse(line, fmt::format("more than {} switches", kSwitchesMax));
    }
    found.push_back(std::move(one));
  }
  return topology_of(found);
}

// Gbit/s of one lane that carry data, by the names that ibnetdiscover prints (InfiniBand Trade
// Association, without the coding of the line).
constexpr std::array<std::pair<std::string_view, double>, 9> kLaneGbps = {{{"SDR", 2},
                                                                           {"DDR", 4},
                                                                           {"QDR", 8},
                                                                           {"FDR10", 10},
                                                                           {"FDR", 13.64},
                                                                           {"EDR", 25},
                                                                           {"HDR", 50},
                                                                           {"NDR", 100},
                                                                           {"XDR", 200}}};

// "4xHDR" in Gbit/s; nullopt for any other word.
std::optional<double> cable_gbps(std::string_view word) {
  const std::size_t x = word.find('x');
  double lanes = 0;
  const char* end = word.data() + std::min(x, word.size());
  const auto result = std::from_chars(word.data(), end, lanes);
  if (x == std::string_view::npos || result.ec != std::errc() || result.ptr != end) return {};
  for (const auto& [name, gbps] : kLaneGbps) {
    if (word.substr(x + 1) == name) return lanes * gbps;
  }
  return {};
}

// The texts between quotation marks, in order.
std::vector<std::string> quoted_in(const std::string& text) {
  std::vector<std::string> quoted;
  for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 1)) {
    const std::size_t end = text.find('"', at + 1);
    if (end == std::string::npos) break;
    quoted.push_back(text.substr(at + 1, end - at - 1));
    at = end;
  }
  return quoted;
}

// The switches of a fabric as ibnetdiscover prints them. Switches with nodes are leaves, and their
// cables to other switches their uplink; what is above them is taken to pass everything.
class Fabric {
 public:
  void read(const Line& line) {
    const std::vector<std::string> words = words_of(line.text);
    if (words.empty()) return;
    if (words.front() == "Switch") {
      begin(line);
    } else if (words.front() == "Ca" || words.front() == "Rt") {
      inside_ = false;
    } else if (inside_ && words.front().front() == '[') {
      add_cable(line, words);
    }
  }

  Topology topology() const {
    std::vector<Switch> switches;
    for (const Leaf& leaf : leaves_) {
      if (leaf.one.nodes.empty()) continue;
      switches.push_back(leaf.one);
      if (leaf.node_gbps > 0) switches.back().uplink = leaf.up_gbps / leaf.node_gbps;
    }
    return Topology(std::move(switches));
  }

 private:
  struct Leaf {
    Switch one;
    double up_gbps = 0;
    double node_gbps = 0;  // of the fastest node
  };

  void begin(const Line& line) {
    const std::vector<std::string> quoted = quoted_in(line.text);
    if (quoted.empty()) refuse(line, "a switch without its quoted identifier");
    if (leaves_.size() == kSwitchesMax) {
      refuse(line, fmt::format("more than {} switches", kSwitchesMax));
    }
    leaves_.push_back({.one = {.name = quoted.front(), .nodes = {}, .parent = {}}});
    inside_ = true;
  }

  void add_cable(const Line& line, const std::vector<std::string>& words) {
    const std::vector<std::string> quoted = quoted_in(line.text);
    const std::optional<double> gbps = cable_gbps(words.back());
    if (quoted.size() < 2 || !gbps) {
      refuse(line,
             "no cable as ibnetdiscover prints it: the peer's identifier, its description, "
             "and width and speed such as 4xHDR");
    }
    Leaf& leaf = leaves_.back();
    if (quoted.front().starts_with("S-")) {
      leaf.up_gbps += *gbps;
    } else if (quoted.front().starts_with("H-")) {
      add_node(line, quoted[1], *gbps, &leaf);
    }
  }

  // A node's description begins with its host name: "node07 mlx5_0". Of a node with several cards
  // the first cable counts: a tree of its own belongs to each further one.
  void add_node(const Line& line, const std::string& description, double gbps, Leaf* leaf) {
    const std::vector<std::string> words = words_of(description);
    if (words.empty()) refuse(line, "a node without a description");
    if (!seen_.insert(words.front()).second) return;
    leaf->one.nodes.push_back(words.front());
    leaf->node_gbps = std::max(leaf->node_gbps, gbps);
  }

  std::vector<Leaf> leaves_;
  std::set<std::string> seen_;
  bool inside_ = false;
};

bool is_fabric(const std::vector<Line>& lines) {
  return std::ranges::any_of(lines,
                             [](const Line& line) { return line.text.starts_with("switchguid="); });
}

}  // namespace

Topology read_topology(std::string_view text, std::string_view what) {
  const std::vector<Line> lines = lines_of(text, what);
  try {
    if (!is_fabric(lines)) return read_slurm(lines);
    Fabric fabric;
    for (const Line& line : lines) fabric.read(line);
    return fabric.topology();
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(what)) throw;
    throw Error(Fault::kUsage, fmt::format("{}: {}", what, error.what()));
  }
}

}  // namespace nmt::contention
