// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms/algorithms.h"

#include <algorithm>
#include <array>

namespace nmt::collectives {
namespace {

struct Named {
  std::string_view operation;
  std::string_view name;
  LeaderAlgorithm algorithm;
};

// Besides trees, which all of these operations have.
constexpr std::array kNamed = {
    Named{"allreduce", "ring", LeaderAlgorithm::kRing},
    Named{"allreduce", "recursive_doubling", LeaderAlgorithm::kRecursiveDoubling},
    Named{"bcast", "inline", LeaderAlgorithm::kInline},
    Named{"reduce", "ring", LeaderAlgorithm::kRing},
    Named{"reduce", "inline", LeaderAlgorithm::kInline}};

}  // namespace

std::optional<PipelineOptions> pipeline_options(std::string_view operation,
                                                std::string_view algorithm,
                                                std::uint64_t segment_bytes) {
  if (const std::optional<TreeShape> shape = parse_tree_shape(algorithm)) {
    return PipelineOptions{.shape = *shape, .segment_bytes = segment_bytes};
  }
  const auto named = std::ranges::find_if(kNamed, [&](const Named& each) {
    return each.operation == operation && each.name == algorithm;
  });
  if (named == kNamed.end()) return std::nullopt;
  return PipelineOptions{
      .shape = TreeShape::kBinomial, .segment_bytes = segment_bytes, .algorithm = named->algorithm};
}

}  // namespace nmt::collectives
