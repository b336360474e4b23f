// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/job_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "core/error.h"
#include "core/units.h"
#include "tools/command/options.h"

namespace nmt::tools {
namespace {

constexpr std::array<std::string_view, 5> kParts = {"node", "pairs", "mpi", "alltoall",
                                                    "collectives"};

}  // namespace

std::string_view to_string(Part part) { return kParts[static_cast<std::size_t>(part)]; }

std::vector<Part> parts_from(const std::string& text) {
  std::vector<Part> parts;
  for (const std::string& word : split_list(text)) {
    const auto found = std::ranges::find(kParts, word);
    if (found == kParts.end()) {
      throw Error(Fault::kUsage, fmt::format("--parts: no part '{}'{}", word,
                                             suggestion(word, {kParts.begin(), kParts.end()})));
    }
    parts.push_back(static_cast<Part>(found - kParts.begin()));
  }
  if (parts.empty()) parts = {Part::kNode, Part::kPairs, Part::kMessages, Part::kAlltoall};
  std::ranges::sort(parts);
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return parts;
}

std::vector<int> numbers_from(const std::string& option, const std::string& list) {
  std::vector<int> all;
  for (const std::string& text : split_list(list)) {
    int ranks = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ranks);
    if (error != std::errc() || end != text.data() + text.size()) {
      throw Error(
          Fault::kUsage,
          fmt::format("{}: {} is not a number of ranks; write for example 4,8", option, text));
    }
    all.push_back(ranks);
  }
  return all;
}

PlaceInPair::PlaceInPair(const JobOrder& order, std::size_t index) {
  const std::size_t ranks = order.ranks_per_node;
  const std::size_t pair = index / (2 * ranks) * 2 * ranks;
  near = index - pair < ranks;
  rank = (index - pair) % ranks;
  if (order.part != Part::kPairs) return;
  in_full = index / (2 * ranks) < order.in_full;
  other = order.ranks[near ? index + ranks : index - ranks];
  const auto first = order.ranks.begin() + static_cast<std::ptrdiff_t>(pair);
  if (rank == 0) {
    companions.assign(first + 1, first + static_cast<std::ptrdiff_t>(ranks));
  } else {
    companions = {*first};
  }
}

std::string to_text(const JobOrder& order) {
  std::string text =
      fmt::format("{} {} {} {} {} {} {} {}", order.end ? 1 : 0, static_cast<int>(order.part),
                  order.flows ? 1 : 0, order.budget_ns, order.round, order.ranks_per_node,
                  order.in_full, order.offload ? 1 : 0);
  for (const int rank : order.ranks) text += fmt::format(" {}", rank);
  return text;
}

JobOrder job_order_from(const std::string& text) {
  JobOrder order;
  std::istringstream words(text);
  int part = 0;
  words >> order.end >> part >> order.flows >> order.budget_ns >> order.round >>
      order.ranks_per_node >> order.in_full >> order.offload;
  order.part = static_cast<Part>(part);
  for (int rank = 0; words >> rank;) order.ranks.push_back(rank);
  return order;
}

}  // namespace nmt::tools
