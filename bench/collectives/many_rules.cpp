// SPDX-License-Identifier: BSD-3-Clause
//
// Writes a snapshot for this machine with about 3000 rules, as many as predictions from many
// sampled shapes:
//
//   many_rules FILE MPI
//
// For each operation, ranges of up to 128 nodes by ranges of up to 16 ranks. All have rules from 64
// B to 512 B, and from 64 KiB. Those of more than two ranks per node also have rules from 8 B to 32
// B, and from 8 KiB to 32 KiB. So on one node, two ranks have no rule for 8 B and for 16 KiB where
// others have one, and nobody has one for 1 KiB.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <ios>
#include <optional>
#include <utility>
#include <vector>

#include "core/plan.h"
#include "node/node.h"
#include "runtime/compile.h"

namespace nmt::bench {
namespace {

constexpr std::int64_t kNodesMax = 128, kNodesInRange = 8;

using Sizes = std::pair<std::uint64_t, std::optional<std::uint64_t>>;  // from, to

std::vector<SegmentRule> many_rules(const char* mpi) {
  std::vector<SegmentRule> rules;
  for (const char* operation :
       {"bcast", "reduce", "allreduce", "allgather", "alltoall", "alltoallv", "barrier", "gather",
        "scatter", "reduce_scatter_block", "reduce_scatter", "allgatherv"}) {
    for (std::int64_t nodes = 1; nodes <= kNodesMax; nodes += kNodesInRange) {
      for (const auto& [first, last] : {std::pair{1, 1}, {2, 2}, {3, 4}, {5, 8}, {9, 16}}) {
        std::vector<Sizes> sizes = {{64, 512}, {65536, std::nullopt}};
        if (first > 2) sizes.insert(sizes.end(), {{8, 32}, {8192, 32768}});
        for (const auto& [from_bytes, to_bytes] : sizes) {
          SegmentRule& rule = rules.emplace_back();
          rule.operation = operation;
          rule.nodes = nodes;
          rule.nodes_max = nodes + kNodesInRange - 1;
          rule.ranks_per_node = first;
          rule.ranks_per_node_max = last;
          rule.from_bytes = from_bytes;
          rule.to_bytes = to_bytes;
          rule.algorithm = "chain";
          rule.mpi = mpi;
        }
      }
    }
  }
  return rules;
}

void write_snapshot(const char* file, const char* mpi) {
  Plan plan;
  plan.platform = Id::random();
  plan.segments = many_rules(mpi);
  const runtime::Provenance of{.platform = {.id = plan.platform,
                                            .name = "many rules",
                                            .fingerprint = node::cheap_fingerprint()},
                               .measured_utc = "2026-11-27T00:00:00Z",
                               .tool_version = "0.1.0",
                               .complete = true,
                               .quality = 1};
  const runtime::Storage storage = runtime::compile(of, plan);
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(storage.bytes().data()),
             static_cast<std::streamsize>(storage.bytes().size()));
}

}  // namespace
}  // namespace nmt::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: many_rules FILE MPI\n", stderr);
    return 2;
  }
  nmt::bench::write_snapshot(argv[1], argv[2]);
  return 0;
}
