// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/mpi/algorithms/unequal_sizes.h"

#include <array>
#include <cmath>

#include "collectives/mpi/algorithms/algorithms.h"

namespace nmt::collectives {
namespace {

// Squares are summed up in halves, since one alone may take all of 64 bits.
enum { kAllBytes, kBetweenBytes, kSquaresHigh, kSquaresLow, kDifference, kTooLarge, kNumbers };
constexpr int kHalfBits = 32;
constexpr std::uint64_t kTimesWithin = 2;  // the mean of blocks within groups may be so many times
                                           // that of blocks between them, by chance

// The final step of splitmix64; odd, so that no difference of one block is lost.
std::uint64_t factor_of(std::uint64_t block) {
  block = (block + 1) * 0x9e3779b97f4a7c15u;
  block = (block ^ (block >> 30)) * 0xbf58476d1ce4e5b9u;
  block = (block ^ (block >> 27)) * 0x94d049bb133111ebu;
  return (block ^ (block >> 31)) | 1;
}

std::uint64_t mean_of(std::uint64_t bytes, std::uint64_t blocks) {
  return blocks == 0 ? 0 : (bytes + blocks - 1) / blocks;
}

// In a sample of n ranks, blocks have 2 k / (n - 1) times their mean, k from 0 to n - 1. So a byte
// is on average in a block of 2 (2 n - 1) / (3 (n - 1)) times the mean.
std::uint64_t typical_of(std::uint64_t ranks, std::uint64_t bytes, double squares) {
  if (bytes == 0 || ranks == 1) return bytes;
  const auto n = static_cast<double>(ranks);
  const double of_a_byte = squares / static_cast<double>(bytes);
  return static_cast<std::uint64_t>(std::ceil(of_a_byte * 3 * (n - 1) / (2 * (2 * n - 1))));
}

std::uint64_t choosing_size(const NodeHierarchy& hierarchy, std::uint64_t all_bytes,
                            std::uint64_t between_bytes, double squares) {
  const auto ranks = static_cast<std::uint64_t>(hierarchy.size());
  if (hierarchy.groups().size() == 1) return typical_of(ranks, all_bytes, squares);
  std::uint64_t blocks_within = 0;
  for (const Group& group : hierarchy.groups()) {
    blocks_within += group.ranks.size() * group.ranks.size();
  }
  const std::uint64_t within = mean_of(all_bytes - between_bytes, blocks_within);
  const std::uint64_t between = mean_of(between_bytes, ranks * ranks - blocks_within);
  return within > kTimesWithin * between ? 0 : typical_of(ranks, between_bytes, squares);
}

}  // namespace

AgreedSizes agree_on_sizes(NodeHierarchy& hierarchy, const UnequalSizes& own) {
  const auto ranks = static_cast<std::uint64_t>(hierarchy.size());
  const auto self = static_cast<std::uint64_t>(hierarchy.rank());
  std::array<std::uint64_t, kNumbers> numbers{}, sums{};
  numbers[kTooLarge] = own.are_too_large ? 1 : 0;
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    const bool is_between =
        hierarchy.group_of(static_cast<int>(rank)) != hierarchy.group_of(hierarchy.rank());
    const std::uint64_t square = own.sent[rank] * own.sent[rank];
    numbers[kAllBytes] += own.sent[rank];
    if (is_between) numbers[kBetweenBytes] += own.sent[rank];
    if (is_between || hierarchy.groups().size() == 1) {
      numbers[kSquaresHigh] += square >> kHalfBits;
      numbers[kSquaresLow] += square & ((std::uint64_t{1} << kHalfBits) - 1);
    }
    numbers[kDifference] += factor_of(self * ranks + rank) * own.sent[rank];
    numbers[kDifference] -= factor_of(rank * ranks + self) * own.received[rank];
  }
  const Reduction sum{.type = MPI_UINT64_T,
                      .op = MPI_SUM,
                      .element_bytes = sizeof(std::uint64_t),
                      .count = kNumbers};
  allreduce(hierarchy, reinterpret_cast<const std::byte*>(numbers.data()),
            reinterpret_cast<std::byte*>(sums.data()), sum,
            {.shape = TreeShape::kBinomial, .algorithm = LeaderAlgorithm::kRecursiveDoubling});
  if (sums[kTooLarge] != 0) return {.are_too_large = true};
  if (sums[kDifference] != 0) fail_on_different_counts();
  const double squares = std::ldexp(static_cast<double>(sums[kSquaresHigh]), kHalfBits) +
                         static_cast<double>(sums[kSquaresLow]);
  return {.all_bytes = sums[kAllBytes],
          .typical_bytes = choosing_size(hierarchy, sums[kAllBytes], sums[kBetweenBytes], squares)};
}

}  // namespace nmt::collectives
