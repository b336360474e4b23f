// SPDX-License-Identifier: BSD-3-Clause
//
// The secret of one job: 256 random bits that both ends know beforehand.
//
// All users of a host can read command lines, so it never appears on one. It comes from the
// environment, from a file that only its owner can read, or from standard input.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nmt::control {

inline constexpr char kSecretVariable[] = "NMADTUNE_SECRET";

class Secret {
 public:
  static Secret random();
  // 64 hex digits, with blanks around them allowed; else an Error(kUsage) that does not repeat
  // them.
  static Secret parse(std::string_view text, std::string_view where);

  std::string hex() const;
  const std::array<std::uint8_t, 32>& bytes() const { return bytes_; }

 private:
  std::array<std::uint8_t, 32> bytes_{};
};

// From `file` ("-": the first line of standard input), else from $NMADTUNE_SECRET. The variable is
// then removed, so that no child process inherits it. nullopt if there is no secret. Error(kUsage)
// for a text that is no secret, or for a file that others can read.
std::optional<Secret> find_secret(const std::string& file);

}  // namespace nmt::control
