// SPDX-License-Identifier: BSD-3-Clause
#include "core/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.h"

namespace nmt {
namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view what, std::string_view example) {
  throw Error(Fault::kUsage, fmt::format("'{}' is not {}; write for example {}", text.substr(0, 40),
                                         what, example));
}

// A non-negative decimal number at the start of `text`; `rest` receives the text after it.
double leading_number(std::string_view text, std::string_view* rest, std::string_view what,
                      std::string_view example) {
  double value = 0;
  const bool digit_first = !text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::general);
  if (!digit_first || error != std::errc() || !std::isfinite(value)) refuse(text, what, example);
  *rest = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!rest->empty() && rest->front() == ' ') rest->remove_prefix(1);
  return value;
}

}  // namespace

std::uint64_t parse_bytes(std::string_view text) {
  constexpr std::string_view kWhat = "a size";
  constexpr std::string_view kExample = "64K, 1.5GiB or 4096";
  std::string_view unit;
  const double value = leading_number(text, &unit, kWhat, kExample);
  constexpr std::string_view kPrefixes = "KMGT";
  double factor = 1;
  if (!unit.empty() && unit != "B") {
    const char upper = unit[0] == 'k' || unit[0] == 'm' || unit[0] == 'g' || unit[0] == 't'
                           ? static_cast<char>(unit[0] - 'a' + 'A')
                           : unit[0];
    const std::size_t power = kPrefixes.find(upper);
    const std::string_view tail = unit.substr(1);
    if (power == std::string_view::npos ||
        !(tail.empty() || tail == "i" || tail == "B" || tail == "iB" || tail == "b")) {
      refuse(text, kWhat, kExample);
    }
    factor = std::ldexp(1.0, 10 * (static_cast<int>(power) + 1));
  }
  const double bytes = value * factor;
  if (bytes != std::floor(bytes)) refuse(text, "a whole number of bytes", kExample);
  if (bytes >= 0x1p63) refuse(text, "a size below 8 EiB", kExample);
  return static_cast<std::uint64_t>(bytes);
}

double parse_duration_ns(std::string_view text) {
  constexpr std::string_view kWhat = "a duration";
  constexpr std::string_view kExample = "20s, 500us or 1.5ms";
  std::string_view unit;
  const double value = leading_number(text, &unit, kWhat, kExample);
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
  for (const auto& [name, factor] : kUnits) {
    if (unit == name) return value * factor;
  }
  refuse(text, kWhat, kExample);
}

double parse_fraction(std::string_view text) {
  std::string_view unit;
  const double value = leading_number(text, &unit, "a fraction", "2% or 0.02");
  if (unit == "%") return value / 100;
  if (unit.empty()) return value;
  refuse(text, "a fraction", "2% or 0.02");
}

std::string format_bytes(std::uint64_t size_bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  double value = static_cast<double>(size_bytes);
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  if (value == std::floor(value)) return fmt::format("{:.0f} {}", value, kUnits[unit]);
  return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : 1, kUnits[unit]);
}

std::string format_duration(double duration_ns) {
  constexpr std::pair<double, std::string_view> kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
  for (const auto& [factor, name] : kUnits) {
    if (std::abs(duration_ns) >= factor * 0.9995) {
      const double value = duration_ns / factor;
      return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : value < 100 ? 1 : 0, name);
    }
  }
  return fmt::format("{:.{}f} ns", duration_ns, duration_ns < 100 ? 1 : 0);
}

std::string format_fraction(double fraction) { return fmt::format("{:.1f} %", fraction * 100); }

std::string format_bandwidth(double bytes_per_second) {
  if (bytes_per_second >= 1e9) return fmt::format("{:.2f} GB/s", bytes_per_second / 1e9);
  if (bytes_per_second >= 1e6) return fmt::format("{:.1f} MB/s", bytes_per_second / 1e6);
  return fmt::format("{:.1f} kB/s", bytes_per_second / 1e3);
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

}  // namespace nmt
