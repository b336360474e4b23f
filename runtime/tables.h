// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of decisions: piecewise-linear functions, looked up in a few nanoseconds. A snapshot
// contains them in the same form as memory does (docs/reference/snapshot.md).
//
// A table divides its axis into quarter octaves. Each quarter octave stores the first piece that
// reaches into it. The next two pieces are tried by comparisons without a branch; only a crowded
// quarter octave needs a loop. A lookup touches about three cache lines. The price is 24 bits of
// mantissa instead of 53: an error of one part in ten million, in durations known to one part in a
// thousand.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace nmt::runtime {

inline constexpr std::uint64_t kSizeBytesMax = INT64_MAX;

// Quarter octave of a size: 0 to 3 have one size each, then there are four of equal width per power
// of two.
inline std::uint32_t size_bucket(std::uint64_t size_bytes) {
  const std::uint64_t shifted = size_bytes + 4;
  const auto exponent = static_cast<std::uint32_t>(std::countl_zero(shifted) ^ 63);
  return 4 * exponent + static_cast<std::uint32_t>(shifted >> (exponent - 2)) - 12;
}
inline constexpr std::size_t kSizeBuckets = 256;

// The smallest size in it.
inline std::uint64_t size_bucket_begin(std::uint32_t bucket) {
  const std::uint32_t quarter = bucket + 12;
  return (std::uint64_t{4 + (quarter & 3)} << (quarter / 4 - 3)) - 4;
}

// Pieces over message sizes; at most `Pieces`. One piece covers everything beyond 4 GiB.
template <std::size_t Pieces>
struct SizeIndex {
  static constexpr std::uint32_t kNever = UINT32_MAX;  // value of knots after the last piece

  std::uint8_t first[kSizeBuckets];
  std::uint32_t knot[Pieces + 2];  // start of piece i; knot[0] is 0

  // First size of a quarter octave; some quarter octaves at the end have none.
  static std::uint64_t begin(std::uint32_t bucket) {
    return bucket <= size_bucket(kSizeBytesMax) ? size_bucket_begin(bucket) : kSizeBytesMax;
  }

  // Fills `first` from the knots.
  void set_first(std::size_t pieces) {
    std::uint8_t piece = 0;
    for (std::uint32_t bucket = 0; bucket < kSizeBuckets; ++bucket) {
      while (piece + std::size_t{1} < pieces && knot[piece + 1] <= begin(bucket)) ++piece;
      first[bucket] = piece;
    }
  }

  // The piece that contains `size_bytes`. The result of a comparison is added, because a branch on
  // random sizes is mispredicted half of the time, which costs more than waiting for the load.
  std::uint32_t piece_at(std::uint64_t size_bytes) const {
    const auto key = static_cast<std::uint32_t>(size_bytes < kNever ? size_bytes : kNever - 1);
    std::uint32_t piece = first[size_bucket(size_bytes)];
    if (key >= knot[piece + 2]) [[unlikely]] {
      piece += 2;
      while (key >= knot[piece + 1]) ++piece;
      return piece;
    }
    return piece + static_cast<std::uint32_t>(key >= knot[piece + 1]);
  }
};

// Durations over sizes.
template <std::size_t Pieces>
struct BasicSizeTable {
  static constexpr std::size_t kPieces = Pieces;

  SizeIndex<kPieces> index;
  float start[kPieces + 1];  // the knots as floats, to subtract
  float duration_ns[kPieces + 1];
  float ns_per_byte[kPieces + 1];

  double at(std::uint64_t size_bytes) const {
    const auto size = static_cast<float>(static_cast<std::int64_t>(size_bytes));
    const std::uint32_t piece = index.piece_at(size_bytes);
    return static_cast<double>(duration_ns[piece] + (size - start[piece]) * ns_per_byte[piece]);
  }
};
using SizeTable = BasicSizeTable<52>;
using EagerSizeTable = BasicSizeTable<40>;  // of eager packets

// Bytes carried within a duration: the inverse of a curve. Strictly rising, except for a first
// piece of 0 before the start-up, and for flat pieces where one more byte causes a jump.
struct TimeTable {
  static constexpr std::size_t kPieces = 52;
  static constexpr std::size_t kBuckets = 128;
  static constexpr std::uint32_t kNever = 0x7f800000;  // bits of infinity, after the last piece

  std::uint32_t base;  // quarter octave of bucket 0
  std::uint32_t pieces;
  std::uint8_t first[kBuckets];
  std::uint32_t knot[kPieces + 2];  // bits of floats, which order like the numbers; knot[0] is 0
  float bytes[kPieces + 1];
  float bytes_per_ns[kPieces + 1];

  static std::uint32_t octave_quarter(std::uint32_t bits) { return bits >> 21; }
  std::uint32_t begin(std::uint32_t bucket) const {  // bucket 0 also covers earlier times
    return bucket == 0 ? 0 : (base + bucket) << 21;
  }

  // The piece that contains `bits`, the bits of a finite float >= 0.
  std::uint32_t piece_at(std::uint32_t bits) const {
    const auto past = static_cast<std::int32_t>(octave_quarter(bits) - base);
    const std::int32_t bucket = past < 0                        ? 0
                                : past < std::int32_t{kBuckets} ? past
                                                                : std::int32_t{kBuckets} - 1;
    std::uint32_t piece = first[bucket];
    piece += static_cast<std::uint32_t>(bits >= knot[piece + 1]) +
             static_cast<std::uint32_t>(bits >= knot[piece + 2]);
    while (bits >= knot[piece + 1]) [[unlikely]]++ piece;
    return piece;
  }
  float start(std::uint32_t piece) const { return std::bit_cast<float>(knot[piece]); }
};

// How two idle rails share a message: the bytes of the first, and the time when both have ended.
struct alignas(64) PairTable {
  static constexpr std::size_t kPieces = 110;
  static constexpr std::uint32_t kOne = std::uint32_t{1} << 31;  // a share of 1

  SizeIndex<kPieces> index;
  std::uint32_t bytes[kPieces + 1];  // of the first rail, at the knot
  std::uint32_t share[kPieces + 1];  // of each further byte, in units of 2^-31
  float end_ns[kPieces + 1];
  float ns_per_byte[kPieces + 1];
  std::uint32_t pieces;        // 0: too many for this table, so the solver decides
  std::uint32_t simultaneous;  // the curves are those of both rails in simultaneous use

  std::uint64_t bytes_at(std::uint32_t piece, std::uint64_t size_bytes) const {
    const std::uint64_t past = size_bytes - index.knot[piece];
    if (past > UINT32_MAX) [[unlikely]] {  // in two parts, so that each product fits
      return bytes[piece] + (past >> 31) * share[piece] +
             ((past & (kOne - 1)) * share[piece] >> 31);
    }
    return bytes[piece] + (past * share[piece] >> 31);
  }
  double end_at(std::uint32_t piece, std::uint64_t size_bytes) const {
    const auto size = static_cast<std::int64_t>(size_bytes);
    const auto past = static_cast<float>(size - std::int64_t{index.knot[piece]});
    return static_cast<double>(end_ns[piece] + past * ns_per_byte[piece]);
  }
};

// Everything that a decision about one path reads.
struct alignas(64) PathBlock {
  static constexpr std::size_t kMethodChanges = 5;
  static constexpr std::int32_t kAskRanges = -2;  // a choice: there are more changes than fit here

  std::uint64_t method_from[kMethodChanges];  // start of choices 1, 2 ...
  std::uint64_t aggregate_below;  // two packets with fewer bytes in total: always aggregated
  std::uint64_t separate_from;    // with this many or more: never
  std::uint32_t method_choices;   // four bits each, signed: an nmt_method, NMT_NO_ADVICE
  std::uint32_t aggregation;      // index of its AggregationTable, or kNone
  std::uint32_t gate;             // paths of one gate can share a message; their pair tables
  std::uint32_t gate_pairs;       // begin here,
  std::uint32_t gate_place;       // in the order of places: (1,0) (2,0) (2,1) (3,0) ...
  std::uint32_t companions;       // number of entries of the companion table for this path,
  std::uint32_t companions_from;  // from this one on
  std::uint32_t measured;         // 0: it has no curve
  std::uint64_t chunk_bytes_min;
  std::uint64_t size_bytes_max;  // largest measured size
  SizeTable duration;            // of the method chosen for each size
  TimeTable inverse;             // of the nearest monotone curve

  static constexpr std::uint32_t kNone = UINT32_MAX;
};
static_assert(sizeof(PathBlock) <= 2048, "the hot data of one rail");

// Durations of two packets: back to back, and together. Used only if the sum of their sizes does
// not decide.
struct AggregationTable {
  EagerSizeTable one_of_two;  // half of two equal packets, by the size of one
  EagerSizeTable together;    // the aggregate, by the size of both
};

}  // namespace nmt::runtime
