// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes as hex digits, two for each byte: identifiers, digests, secrets, addresses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nmt {

std::string to_hex(std::span<const std::uint8_t> bytes);  // lower case

// Fills `bytes`; false unless `text` is two digits for each byte, in either case.
bool from_hex(std::string_view text, std::span<std::uint8_t> bytes);

}  // namespace nmt
