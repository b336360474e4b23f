// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes, durations, fractions, bandwidths and lists as people write and read them.
//
// Sizes: K, M, G, T (also Ki, KB, KiB ...) are powers of two; a bare number is bytes. Durations
// need a unit (ns, us, ms, s, min, h), because a bare number could be wrong by a factor of 10^9.
// Fractions are "2%" or "0.02". Bandwidths are decimal (GB/s = 10^9 bytes per second), as network
// vendors print them. A parser throws Error(Fault::kUsage) that quotes the text and shows a correct
// one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

std::uint64_t parse_bytes(std::string_view text);    // "64K" -> 65536
double parse_duration_ns(std::string_view text);     // "1.5ms" -> 1.5e6
double parse_fraction(std::string_view text);        // "2%" -> 0.02
std::string format_bytes(std::uint64_t size_bytes);  // 65536 -> "64 KiB"
std::string format_duration(double duration_ns);     // 1.5e6 -> "1.50 ms"
std::string format_fraction(double fraction);        // 0.02 -> "2.0 %"
std::string format_bandwidth(double bytes_per_second);

// The items between commas, without empty ones.
std::vector<std::string> split_list(const std::string& text);

}  // namespace nmt
