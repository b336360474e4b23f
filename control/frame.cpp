// SPDX-License-Identifier: BSD-3-Clause
#include "control/frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace nmt::control {
namespace {

constexpr std::array<std::uint8_t, 4> kMagic = {'n', 'm', 't', 'c'};

void put(std::uint64_t value, std::span<std::uint8_t> bytes) {
  for (std::size_t i = bytes.size(); i-- > 0; value >>= 8) bytes[i] = value & 0xff;
}

std::uint64_t get(std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  for (const std::uint8_t byte : bytes) value = value << 8 | byte;
  return value;
}

}  // namespace

std::array<std::uint8_t, kFrameBytes> encode(const Frame& frame) {
  std::array<std::uint8_t, kFrameBytes> bytes{};
  const std::span<std::uint8_t> all = bytes;
  std::ranges::copy(kMagic, bytes.begin());
  put(frame.version, all.subspan(4, 2));
  put(frame.kind, all.subspan(6, 2));
  put(frame.length_bytes, all.subspan(8, 8));
  return bytes;
}

Frame decode(std::span<const std::uint8_t, kFrameBytes> bytes, std::size_t length_bytes_max,
             const std::string& peer) {
  if (!std::ranges::equal(bytes.first<4>(), kMagic)) {
    throw Error(Fault::kPeer,
                peer + ": not a message of nmadtune's control protocol; check the port");
  }
  const Frame frame{.version = static_cast<std::uint16_t>(get(bytes.subspan<4, 2>())),
                    .kind = static_cast<std::uint16_t>(get(bytes.subspan<6, 2>())),
                    .length_bytes = get(bytes.subspan<8, 8>())};
  if (frame.version != kVersion) {
    throw Error(
        Fault::kPeer,
        fmt::format(
            "{}: the peer has version {} of the control protocol, and this host has version {}; "
            "install the same nmadtune on both hosts",
            peer, frame.version, kVersion));
  }
  if (frame.length_bytes > length_bytes_max) {
    throw Error(
        Fault::kPeer,
        fmt::format(
            "{}: the peer announced a message of {} bytes, and this host accepts at most {}; "
            "install the same nmadtune on both hosts",
            peer, frame.length_bytes, length_bytes_max));
  }
  return frame;
}

}  // namespace nmt::control
