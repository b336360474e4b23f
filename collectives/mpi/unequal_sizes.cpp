// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/unequal_sizes.h"

#include <array>

#include "collectives/mpi/algorithms.h"

namespace nmt::collectives {
namespace {

enum { kAllBytes, kDifference, kTooLarge, kNumbers };

// The final step of splitmix64; odd, so that no difference of one block is lost.
std::uint64_t factor_of(std::uint64_t block) {
  block = (block + 1) * 0x9e3779b97f4a7c15u;
  block = (block ^ (block >> 30)) * 0xbf58476d1ce4e5b9u;
  block = (block ^ (block >> 27)) * 0x94d049bb133111ebu;
  return (block ^ (block >> 31)) | 1;
}

}  // namespace

AgreedSizes agree_on_sizes(NodeHierarchy& hierarchy, const UnequalSizes& own) {
  const auto ranks = static_cast<std::uint64_t>(hierarchy.size());
  const auto self = static_cast<std::uint64_t>(hierarchy.rank());
  std::array<std::uint64_t, kNumbers> numbers{}, sums{};
  numbers[kTooLarge] = own.are_too_large ? 1 : 0;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    numbers[kAllBytes] += own.sent[rank];
    numbers[kDifference] += factor_of(self * ranks + rank) * own.sent[rank];
    numbers[kDifference] -= factor_of(rank * ranks + self) * own.received[rank];
  }
  const Reduction sum{.type = MPI_UINT64_T,
                      .op = MPI_SUM,
                      .element_bytes = sizeof(std::uint64_t),
                      .count = kNumbers};
  allreduce(hierarchy, reinterpret_cast<const std::byte*>(numbers.data()),
            reinterpret_cast<std::byte*>(sums.data()), sum, {.shape = TreeShape::kBinomial});
  if (sums[kTooLarge] != 0) return {.are_too_large = true};
  if (sums[kDifference] != 0) fail_on_different_counts();
  return {.all_bytes = sums[kAllBytes],
          .mean_bytes = (sums[kAllBytes] + ranks * ranks - 1) / (ranks * ranks)};
}

}  // namespace nmt::collectives
