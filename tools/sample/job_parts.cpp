// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/job_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

std::string to_text(const JobOrder& order) {
  std::string text = fmt::format("{} {} {} {} {}", order.end ? 1 : 0, static_cast<int>(order.part),
                                 order.flows ? 1 : 0, order.budget_ns, order.round);
  for (const int rank : order.ranks) text += fmt::format(" {}", rank);
  return text;
}

JobOrder job_order_from(const std::string& text) {
  JobOrder order;
  std::istringstream words(text);
  int part = 0;
  words >> order.end >> part >> order.flows >> order.budget_ns >> order.round;
  order.part = static_cast<Part>(part);
  for (int rank = 0; words >> rank;) order.ranks.push_back(rank);
  return order;
}

}  // namespace nmt::tools
