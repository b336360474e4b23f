// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/split_solver.h"

#include <cmath>
#include <span>

namespace nmt::runtime {
namespace {

constexpr float kTimeMax = 1e30f;
constexpr float kBytesMax = 0x1.fffffep62f;  // the largest float that fits an int64

// What the rails have carried at a time, and the range of times in which every piece continues.
struct Level {
  float bytes = 0;
  float bytes_per_ns = 0;
  float first_ns = 0;
  float last_ns = kTimeMax;
};

Level level_at(std::span<RailFill> fills, float time_ns) {
  Level level;
  for (RailFill& fill : fills) {
    const TimeTable& table = *fill.table;
    const float alone_ns = std::max(0.0f, time_ns - fill.release_ns);
    const bool nothing = time_ns < fill.least_end_ns;
    fill.piece = nothing ? 0 : table.piece_at(std::bit_cast<std::uint32_t>(alone_ns));
    fill.bytes = table.bytes[fill.piece];
    fill.bytes_per_ns = table.bytes_per_ns[fill.piece];
    fill.start_ns = fill.release_ns + table.start(fill.piece);
    // Not time_ns - start_ns: the sum of release and start is rounded.
    level.bytes += fill.bytes + (alone_ns - table.start(fill.piece)) * fill.bytes_per_ns;
    level.bytes_per_ns += fill.bytes_per_ns;
    const float first_ns = fill.piece > 0 ? std::max(fill.start_ns, fill.least_end_ns) : 0;
    const float end_ns = fill.release_ns + table.start(fill.piece + 1);
    level.first_ns = std::max(level.first_ns, first_ns);
    level.last_ns = std::min(level.last_ns, nothing ? fill.least_end_ns : end_ns);
  }
  return level;
}

// The break point in the middle of those of the rail that has most between two times; negative if
// no rail has one there. Two break points of a rail can round to one time.
float break_between(std::span<RailFill> fills, float low_ns, float high_ns) {
  float middle_ns = -1;
  std::uint32_t most = 0;
  for (RailFill& fill : fills) {
    while (fill.low_piece < fill.high_piece && fill.begins_ns(fill.low_piece + 1) <= low_ns) {
      ++fill.low_piece;
    }
    while (fill.low_piece < fill.high_piece && fill.begins_ns(fill.high_piece) >= high_ns) {
      --fill.high_piece;
    }
    if (fill.high_piece <= fill.low_piece + most) continue;
    const std::uint32_t breaks = fill.high_piece - fill.low_piece;
    most = breaks;
    middle_ns = fill.begins_ns(fill.low_piece + (breaks + 1) / 2);
  }
  return middle_ns;
}

// When they have carried enough, where no break point is between both times: at the first too
// little is carried, and enough at the second.
float time_within(std::span<RailFill> fills, float size_bytes, float low_ns, float high_ns) {
  const float after_ns = std::nextafter(low_ns, high_ns);
  const Level level = level_at(fills, after_ns);
  const float missing = size_bytes - level.bytes;
  if (missing <= 0) return after_ns;
  const float time_ns = after_ns + missing / level.bytes_per_ns;
  if (time_ns < high_ns) return time_ns;
  level_at(fills, high_ns);
  return high_ns;
}

}  // namespace

float time_for(const TimeTable& table, std::uint64_t size_bytes) {
  const auto size = static_cast<float>(size_bytes);
  std::uint32_t low = 0;  // carries fewer bytes at its start
  std::uint32_t high = table.pieces;
  while (low + 1 < high) {
    const std::uint32_t middle = (low + high) / 2;
    (table.bytes[middle] < size ? low : high) = middle;
  }
  const float past = size - table.bytes[low];
  if (past <= 0) return table.start(std::max<std::uint32_t>(low, 1));  // the start-up
  if (table.bytes_per_ns[low] <= 0) return table.start(low + 1);
  return table.start(low) + past / table.bytes_per_ns[low];
}

float find_time(RailFill* fills, std::size_t rails, float size_bytes, float time_ns) {
  constexpr int kHalvingTurn = 3;
  constexpr int kTurnsMax = 1024;  // 64 rails need less: a third of the turns halve one's points
  const std::span<RailFill> all(fills, rails);
  float low_ns = 0;          // too little is carried at this time
  float high_ns = kTimeMax;  // and enough at this one
  for (RailFill& fill : all) fill.low_piece = 0, fill.high_piece = fill.table->pieces - 1;
  if (!(time_ns > low_ns && time_ns < high_ns)) time_ns = break_between(all, low_ns, high_ns);
  for (int turn = 1; turn <= kTurnsMax && time_ns > 0; ++turn) {
    const Level level = level_at(all, time_ns);
    const float missing = size_bytes - level.bytes;
    const float step_ns = time_ns + missing / level.bytes_per_ns;
    // Compares bytes to see whether the step stays between both break points: times are too coarse
    // where a piece is steep. At a break point itself an earlier time may also be a solution.
    const float from_bytes = level.bytes + (level.first_ns - time_ns) * level.bytes_per_ns;
    const float to_bytes = level.bytes + (level.last_ns - time_ns) * level.bytes_per_ns;
    if (from_bytes < size_bytes && size_bytes <= to_bytes) return step_ns;
    const bool early = missing > 0;
    (early ? low_ns : high_ns) = time_ns;
    for (RailFill& fill : all) (early ? fill.low_piece : fill.high_piece) = fill.piece;
    const bool stepping = turn % kHalvingTurn != 0 && step_ns > low_ns && step_ns < high_ns;
    time_ns = stepping ? step_ns : break_between(all, low_ns, high_ns);
  }
  return time_within(all, size_bytes, low_ns, high_ns);
}

namespace {

// Assigns the bytes that rounding down left over, one by one, to the rail on which one more byte
// ends first. Returns when the last chunk ends.
float assign_rest(std::span<RailFill> fills, float time_ns, std::uint64_t left) {
  for (; left > 0; --left) {
    RailFill* best = nullptr;
    float best_ns = 0;
    for (RailFill& fill : fills) {
      if (fill.chunk == 0 && fill.least_bytes > 1) continue;
      const float end_ns = fill.release_ns + time_for(*fill.table, fill.chunk + 1);
      if (best == nullptr || end_ns < best_ns) best = &fill, best_ns = end_ns;
    }
    if (best == nullptr) return -1;
    ++best->chunk;
    time_ns = std::max(time_ns, best_ns);
  }
  return time_ns;
}

// Bytes that the rail can take within its current piece.
std::uint64_t free_bytes_of(const RailFill& fill) {
  if (fill.piece + 1 >= fill.table->pieces) return UINT64_MAX;
  const float room = fill.table->bytes[fill.piece + 1] - static_cast<float>(fill.chunk);
  if (room >= kBytesMax) return UINT64_MAX;
  return room > 0 ? static_cast<std::uint64_t>(room) : 0;
}

// For more bytes than rounding leaves: bytes on a flat part of the curve take no time. Returns the
// rest.
std::uint64_t add_bytes(RailFill& fill, std::uint64_t left) {
  const std::uint64_t poured = std::min(left, free_bytes_of(fill));
  fill.chunk += poured;
  return left - poured;
}

// Some chunks were raised to their smallest size: takes the surplus from the others, down to their
// smallest sizes.
void take_from(std::span<RailFill> fills, RailFill& steepest, std::uint64_t surplus) {
  for (std::size_t turn = 0; turn <= fills.size() && surplus > 0; ++turn) {
    RailFill& fill = turn == 0 ? steepest : fills[turn - 1];
    const std::uint64_t kept = fill.chunk > 0 ? fill.least_bytes : 0;
    const std::uint64_t given = std::min(fill.chunk - kept, surplus);
    fill.chunk -= given;
    surplus -= given;
  }
}

}  // namespace

// Bytes left by rounding go to the steepest rail, where they cost least; on a flat part of its
// curve this is everything on that part. If these bytes matter, or would cross a jump of that
// curve, each byte goes to its best rail.
float assign_bytes(RailFill* fills, std::size_t rails, float time_ns, std::uint64_t size_bytes) {
  constexpr float kMatters = 1e-4f;
  const std::span<RailFill> all(fills, rails);
  RailFill* steepest = nullptr;  // of the rails that carry bytes
  std::uint64_t sum = 0;
  std::uint64_t least_sum = 0;
  bool overflow = false;  // a forged snapshot may have any smallest chunks
  const float size = std::min(static_cast<float>(static_cast<std::int64_t>(size_bytes)), kBytesMax);
  for (RailFill& fill : all) {
    const float bytes = std::clamp(fill.bytes_at(time_ns), 0.0f, size);
    const auto whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(bytes));
    fill.chunk = std::min(size_bytes, whole);
    if (bytes > 0 && (steepest == nullptr || fill.bytes_per_ns > steepest->bytes_per_ns)) {
      steepest = &fill;
    }
    if (fill.chunk > 0 && fill.chunk < fill.least_bytes) fill.chunk = fill.least_bytes;
    least_sum += fill.chunk > 0 ? fill.least_bytes : 0;
    overflow |= __builtin_add_overflow(sum, fill.chunk, &sum);
  }
  if (overflow || least_sum > size_bytes) return -1;
  if (steepest == nullptr) {  // so few bytes that no time between 0 and all of them is a float
    steepest = &*std::ranges::max_element(all, {}, &RailFill::bytes_per_ns);
  }
  if (sum > size_bytes) {
    take_from(all, *steepest, sum - size_bytes);
    return time_ns;
  }
  std::uint64_t left = size_bytes - sum;
  const bool matters = static_cast<float>(left) > kMatters * time_ns * steepest->bytes_per_ns;
  if (left <= free_bytes_of(*steepest) && !matters) {
    steepest->chunk += left;
    return time_ns;
  }
  if (left > rails) {
    left = add_bytes(*steepest, left);
    for (RailFill& fill : all) left = fill.chunk > 0 ? add_bytes(fill, left) : left;
  }
  if (left <= rails) return assign_rest(all, time_ns, left);
  steepest->chunk += left;
  return time_ns;
}

}  // namespace nmt::runtime
