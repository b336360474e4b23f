// SPDX-License-Identifier: BSD-3-Clause
//
// The secret of one job: 256 random bits that both ends are told beforehand.
//
// Everybody on a host can read command lines, so it never stands on one: it comes through the
// environment, a file that only its owner can read, or standard input.
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
  // 64 hex digits, blanks around them allowed; else Error(kUsage) that does not repeat them.
  static Secret parse(std::string_view text, std::string_view where);

  std::string hex() const;
  const std::array<std::uint8_t, 32>& bytes() const { return bytes_; }

 private:
  std::array<std::uint8_t, 32> bytes_{};
};

// From `file` ("-": the first line of standard input), else from $NMADTUNE_SECRET, which is then
// taken out of the environment, so that no child inherits it; nullopt where there is none.
// Error(kUsage) for what is no secret or can be read by others.
std::optional<Secret> find_secret(const std::string& file);

}  // namespace nmt::control
