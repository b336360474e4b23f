// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/decision_log.h"

#include <cstdio>
#include <string>

#include "core/log.h"
#include "core/units.h"

namespace nmt::collectives {
namespace {

std::string line_of(const Rule& rule) {
  const bool ends = rule.to_bytes != ~std::uint64_t{0};
  std::string line =
      "nmadtune:   " + std::string(to_string(rule.operation)) + " from " +
      format_bytes(rule.from_bytes) + (ends ? " to below " + format_bytes(rule.to_bytes) : "") +
      ": " + rule.algorithm + ", " +
      (rule.segment_bytes == 0 ? "whole" : "segments of " + format_bytes(rule.segment_bytes));
  if (rule.is_ours()) {
    line += ", " + std::to_string(rule.leaders) + (rule.leaders == 1 ? " leader" : " leaders") +
            " of a node";
  }
  return line + "\n";
}

}  // namespace

void log_communicator(MPI_Comm comm, int nodes, const std::set<int>& ranks_per_node,
                      const std::vector<Rule>& rules) {
  static const bool wants = log_wants(kLogDecisions);
  if (!wants) return;
  int rank = 0, size = 0, name_bytes = 0;
  char name[MPI_MAX_OBJECT_NAME] = "";
  if (PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS || rank != 0) return;
  PMPI_Comm_size(comm, &size);
  PMPI_Comm_get_name(comm, name, &name_bytes);
  std::string text = "nmadtune: communicator " + std::string(name) + (name_bytes > 0 ? " " : "") +
                     "of " + std::to_string(size) + (size == 1 ? " rank" : " ranks");
  if (nodes > 0) {
    text += ", " + std::to_string(nodes) + " x " + std::to_string(*ranks_per_node.begin());
    if (ranks_per_node.size() > 1) text += ".." + std::to_string(*ranks_per_node.rbegin());
  }
  text += rules.empty() ? ": nothing is replaced, there is no rule for its shape\n"
                        : ": these are replaced\n";
  for (const Rule& rule : rules) text += line_of(rule);
  std::fputs(text.c_str(), stderr);
}

}  // namespace nmt::collectives
