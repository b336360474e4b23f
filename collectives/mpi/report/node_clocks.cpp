// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/report/node_clocks.h"

#include <limits>

#include "collectives/mpi/hierarchy/node_hierarchy.h"
#include "collectives/mpi/report/call_recorder.h"

namespace nmt::collectives {
namespace {

constexpr int kQuestions = 12;
constexpr int kClockTag = 1;

}  // namespace

void NodeClocks::compare(MPI_Comm comm, const std::vector<int>& node_of_rank) {
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank));
  const auto answers = [&](std::size_t each) {
    return each != 0 && node_of_rank[each] == static_cast<int>(each);
  };
  if (rank != 0) {
    if (!answers(static_cast<std::size_t>(rank))) return;
    for (int i = 0; i < kQuestions; ++i) {
      check(PMPI_Recv(nullptr, 0, MPI_BYTE, 0, kClockTag, comm, MPI_STATUS_IGNORE));
      const std::int64_t now_ns = recorder::now_ns();
      check(PMPI_Send(&now_ns, 1, MPI_INT64_T, 0, kClockTag, comm));
    }
    return;
  }
  for (std::size_t each = 1; each < node_of_rank.size(); ++each) {
    if (!answers(each)) continue;
    Comparison best;
    std::int64_t quickest_ns = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < kQuestions; ++i) {
      const int node = static_cast<int>(each);
      std::int64_t there_ns = 0;
      const std::int64_t asked_ns = recorder::now_ns();
      check(PMPI_Send(nullptr, 0, MPI_BYTE, node, kClockTag, comm));
      check(PMPI_Recv(&there_ns, 1, MPI_INT64_T, node, kClockTag, comm, MPI_STATUS_IGNORE));
      const std::int64_t took_ns = recorder::now_ns() - asked_ns;
      if (took_ns >= quickest_ns) continue;
      quickest_ns = took_ns;
      best = {.time_ns = there_ns, .ahead_ns = there_ns - (asked_ns + took_ns / 2)};
    }
    by_node_[static_cast<int>(each)].push_back(best);
  }
}

std::int64_t NodeClocks::at_rank_0(int node, std::int64_t time_ns) const {
  const auto found = by_node_.find(node);
  if (found == by_node_.end()) return time_ns;
  const Comparison& first = found->second.front();
  const Comparison& last = found->second.back();
  const auto apart_ns = static_cast<double>(last.time_ns - first.time_ns);
  const double place = apart_ns > 0 ? static_cast<double>(time_ns - first.time_ns) / apart_ns : 0;
  return time_ns - first.ahead_ns -
         static_cast<std::int64_t>(place * static_cast<double>(last.ahead_ns - first.ahead_ns));
}

}  // namespace nmt::collectives
