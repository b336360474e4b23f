// SPDX-License-Identifier: BSD-3-Clause
//
// The header of every message: 16 bytes, the same in all versions and byte orders.
//
// It has the magic "nmtc", version, kind and length, most significant byte first. A wrong magic
// means another program, a wrong version another nmadtune. Both are checked before the length is
// used, and the length is checked before memory is allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace nmt::control {

inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::size_t kFrameBytes = 16;
inline constexpr std::size_t kMessageBytesMax = std::size_t{1} << 20;  // default limit

struct Frame {
  std::uint16_t version = kVersion;
  std::uint16_t kind = 0;
  std::uint64_t length_bytes = 0;
  bool operator==(const Frame&) const = default;
};

std::array<std::uint8_t, kFrameBytes> encode(const Frame& frame);

// Throws Error(kPeer), which begins with `peer`, for a wrong magic or version, or for a length
// above `length_bytes_max`.
Frame decode(std::span<const std::uint8_t, kFrameBytes> bytes, std::size_t length_bytes_max,
             const std::string& peer);

}  // namespace nmt::control
