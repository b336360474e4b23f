// SPDX-License-Identifier: BSD-3-Clause
#include "core/id.h"

#include <random>

#include "core/error.h"
#include "core/hex.h"

namespace nmt {
Id Id::random() {
  std::random_device device;
  Id id;
  for (std::uint8_t& byte : id.bytes) byte = static_cast<std::uint8_t>(device());
  return id;
}

Id Id::parse(std::string_view hex) {
  Id id;
  if (!from_hex(hex, id.bytes)) {
    throw Error(Fault::kUsage,
                "'" + std::string(hex.substr(0, 64)) + "' is not an identifier: 32 hex digits");
  }
  return id;
}

std::string Id::hex() const { return to_hex(bytes); }

void Digest::mix(std::uint8_t byte) {
  state_ ^= byte;
  state_ *= 0x100000001b3u;
}

Digest& Digest::add(std::string_view bytes) {
  add(static_cast<std::uint64_t>(bytes.size()));
  for (const char c : bytes) mix(static_cast<std::uint8_t>(c));
  return *this;
}

Digest& Digest::add(std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) mix(static_cast<std::uint8_t>(value >> shift));
  return *this;
}

std::string Digest::hex() const {
  std::array<std::uint8_t, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(state_ >> (56 - 8 * i));
  }
  return to_hex(bytes);
}

}  // namespace nmt
