// SPDX-License-Identifier: BSD-3-Clause
//
// Where each rank's block is in a buffer that has the blocks of all ranks, in rank order. The
// blocks have one size, or each has its own. All ranks know all sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/mpi/algorithms/segment_pipeline.h"

namespace nmt::collectives {

class BlockRanges {
 public:
  explicit BlockRanges(std::uint64_t each_bytes) : each_bytes_(each_bytes) {}
  // `counts`: the elements of each block, by rank.
  BlockRanges(std::span<const std::uint64_t> counts, std::uint64_t element_bytes) {
    begins_.reserve(counts.size() + 1);
    begins_.push_back(0);
    for (const std::uint64_t count : counts) {
      begins_.push_back(begins_.back() + count * element_bytes);
    }
  }

  // `rank` may be the number of ranks: then it is the end of the last block.
  std::uint64_t begin(int rank) const {
    const auto index = static_cast<std::size_t>(rank);
    return begins_.empty() ? index * each_bytes_ : begins_[index];
  }
  std::uint64_t bytes(int rank) const { return begin(rank + 1) - begin(rank); }

  // The blocks of these ranks, in order, as segments. Blocks that follow each other in the buffer
  // are joined first. A segment has at most `segment_bytes`; 0: what is joined stays whole.
  std::vector<Segment> segments_of(const std::vector<int>& ranks,
                                   std::uint64_t segment_bytes) const {
    std::vector<Segment> segments;
    for (std::size_t i = 0; i < ranks.size();) {
      std::size_t end = i + 1;
      while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
      const std::uint64_t first = begin(ranks[i]);
      const Segmentation joined(begin(ranks[end - 1] + 1) - first, segment_bytes);
      for (std::uint64_t each = 0; each < joined.segments(); ++each) {
        segments.push_back({first + joined.offset(each), joined.bytes_of(each)});
      }
      i = end;
    }
    return segments;
  }

  // A hash of the sizes (FNV-1a), so that ranks can compare them.
  std::uint64_t fingerprint() const {
    std::uint64_t hash = each_bytes_;
    for (const std::uint64_t each : begins_) hash = (hash ^ each) * 0x100000001b3u;
    return hash;
  }

 private:
  std::uint64_t each_bytes_ = 0;
  std::vector<std::uint64_t> begins_;  // by rank, and the end; empty: all are equal
};

}  // namespace nmt::collectives
