// SPDX-License-Identifier: BSD-3-Clause
//
// What stands before every message: 16 bytes, the same between all versions and byte orders.
//
// Magic "nmtc", version, kind, length, most significant byte first. The magic tells a stranger, the
// version another nmadtune; both are looked at before the length means anything, and the length
// before anything is allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace nmt::control {

inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::size_t kFrameBytes = 16;
inline constexpr std::size_t kMessageBytesMax = std::size_t{1} << 20;  // unless said otherwise

struct Frame {
  std::uint16_t version = kVersion;
  std::uint16_t kind = 0;
  std::uint64_t length_bytes = 0;
  bool operator==(const Frame&) const = default;
};

std::array<std::uint8_t, kFrameBytes> encode(const Frame& frame);

// Throws Error(kPeer) that begins with `peer` for another magic or version, or a length above
// `length_bytes_max`.
Frame decode(std::span<const std::uint8_t, kFrameBytes> bytes, std::size_t length_bytes_max,
             const std::string& peer);

}  // namespace nmt::control
