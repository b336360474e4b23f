// SPDX-License-Identifier: BSD-3-Clause
//
// Random 128-bit identifiers and the digest of stored content.
//
// Everything in a profile is named by a random Id, so that merging two profiles is a union of rows.
// A digest (FNV-1a, 64 bits) is stored beside what was measured. Every step of FNV-1a is a
// bijection of its state, so any single flipped byte changes the result. It detects damage, not an
// attacker.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace nmt {

struct Id {
  std::array<std::uint8_t, 16> bytes{};

  static Id random();
  static Id parse(std::string_view hex);  // 32 hex digits, else Error(kUsage)
  std::string hex() const;
  auto operator<=>(const Id&) const = default;
};

// Adds up a digest over byte strings. The length of each string is added before it, so that moving
// a byte from one field to the next changes the digest.
class Digest {
 public:
  Digest& add(std::string_view bytes);
  Digest& add(std::uint64_t value);
  std::uint64_t value() const { return state_; }
  std::string hex() const;  // 16 hex digits

 private:
  void mix(std::uint8_t byte);
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace nmt
