// SPDX-License-Identifier: BSD-3-Clause
#include "core/id.h"

#include <random>

#include "core/error.h"

namespace nmt {
namespace {

constexpr char kHex[] = "0123456789abcdef";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Id Id::random() {
  std::random_device device;
  Id id;
  for (std::uint8_t& byte : id.bytes) byte = static_cast<std::uint8_t>(device());
  return id;
}

Id Id::parse(std::string_view hex) {
  Id id;
  bool good = hex.size() == 2 * id.bytes.size();
  for (std::size_t i = 0; good && i < id.bytes.size(); ++i) {
    const int high = hex_digit(hex[2 * i]);
    const int low = hex_digit(hex[2 * i + 1]);
    good = high >= 0 && low >= 0;
    id.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  if (!good) {
    throw Error(Fault::kUsage,
                "'" + std::string(hex.substr(0, 64)) + "' is not an identifier: 32 hex digits");
  }
  return id;
}

std::string Id::hex() const {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

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
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kHex[(state_ >> shift) & 15];
  return text;
}

}  // namespace nmt
