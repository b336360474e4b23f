// SPDX-License-Identifier: BSD-3-Clause
#include "tests/stacks/planted_mpich.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "stacks/stacks.h"

namespace nmt::testing {
namespace {

constexpr std::string_view kOthers =
    "allgatherv alltoallv alltoallw barrier exscan gather gatherv iallgather iallgatherv "
    "iallreduce ialltoall ialltoallv ialltoallw ibarrier ibcast iexscan igather igatherv "
    "ineighbor_allgather ineighbor_allgatherv ineighbor_alltoall ineighbor_alltoallv "
    "ineighbor_alltoallw ireduce ireduce_scatter ireduce_scatter_block iscan iscatter iscatterv "
    "neighbor_allgather neighbor_allgatherv neighbor_alltoall neighbor_alltoallv "
    "neighbor_alltoallw reduce_scatter reduce_scatter_block scan scatter scatterv";

std::string titled(std::string name) {
  name[0] = static_cast<char>(std::toupper(name[0]));
  return name;
}

}  // namespace

// As MPICH writes it: one line. Only the operations that are sampled have cases of their own.
std::string algorithms_text() {
  const auto leaf_of = [](std::string_view name) {
    return fmt::format(R"({{"algorithm={}":{{}}}})", name);
  };
  std::string text;
  for (const stacks::MpichOperation& each : stacks::mpich_operations()) {
    const std::string title = titled(std::string(each.name));
    text += fmt::format(R"({}"collective={}":{{"comm_type=intra":)", text.empty() ? "{" : ",",
                        each.name);
    text += fmt::format(R"({{"comm_size<=2":{},"comm_size=any":{}}},"comm_type=inter":{}}})",
                        leaf_of("MPIR_" + title + "_allcomm_nb"),
                        leaf_of(each.algorithms.front().function),
                        leaf_of("MPIR_" + title + "_inter_other"));
  }
  for (std::string_view rest = kOthers; !rest.empty();) {
    const std::string name(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    text += fmt::format(R"(,"collective={}":{})", name,
                        leaf_of("MPIR_" + titled(name) + "_allcomm_nb"));
  }
  return text + "}";
}

std::string compositions_text() {
  std::string text;
  for (const stacks::MpichOperation& each : stacks::mpich_operations()) {
    const std::string name =
        fmt::format("MPIDI_{}_intra_composition_old", titled(std::string(each.name)));
    text += fmt::format(R"({}"collective={}":{{"comm_type=intra":{{"composition={}":{{}}}}}})",
                        text.empty() ? "{" : ",", each.name, name);
  }
  return text + "}";
}

std::string planted_mpich_library() {
  std::string bytes = "no code";
  const auto add = [&](std::string_view text) {
    bytes.push_back('\0');
    bytes += text;
  };
  add(algorithms_text());
  add(compositions_text());
  const std::string all = algorithms_text() + compositions_text();
  for (std::size_t at = 0; at < all.size(); ++at) {
    const std::string_view rest = std::string_view(all).substr(at);
    if (!rest.starts_with("\"algorithm=") && !rest.starts_with("\"composition=")) continue;
    add(rest.substr(1, rest.find('"', 1) - 1));
  }
  for (const stacks::MpichOperation& operation : stacks::mpich_operations()) {
    for (const stacks::MpichAlgorithm& each : operation.algorithms) {
      add(fmt::format("algorithm={}", each.function));
    }
    if (operation.over_all.empty()) continue;
    add(fmt::format("composition={}", operation.over_all));
    add(fmt::format("composition={}", operation.over_nodes));
  }
  bytes.push_back('\0');
  return bytes;
}

}  // namespace nmt::testing
