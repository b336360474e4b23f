// SPDX-License-Identifier: BSD-3-Clause
#include "node/sysfs.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace nmt::node {
namespace {

// A longer list cannot come from a real machine.
constexpr int kNumberMax = 1 << 16;

std::optional<int> parse_number(std::string_view text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value < 0 || value > kNumberMax) return std::nullopt;
  return value;
}

// Domain, bus, device, function: four, two and two hexadecimal digits, and one octal digit.
bool is_pci_address(std::string_view text) {
  constexpr std::string_view kPattern = "hhhh:hh:hh.o";
  return text.size() == kPattern.size() &&
         std::equal(text.begin(), text.end(), kPattern.begin(), [](char each, char pattern) {
           if (pattern == 'h') return std::isxdigit(static_cast<unsigned char>(each)) != 0;
           return pattern == 'o' ? each >= '0' && each <= '7' : each == pattern;
         });
}

}  // namespace

std::string read_line(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

std::vector<int> parse_list(const std::string& text) {
  std::vector<int> numbers;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    const std::size_t dash = part.find('-');
    const auto first = parse_number(std::string_view(part).substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : parse_number(std::string_view(part).substr(dash + 1));
    if (!first || !last) return {};
    for (int number = *first; number <= *last; ++number) numbers.push_back(number);
  }
  return numbers;
}

std::optional<std::size_t> parse_cache_size(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const bool kilo = text.back() == 'K';
  const bool mega = text.back() == 'M';
  const auto number = parse_number(std::string_view(text).substr(0, text.size() - (kilo || mega)));
  if (!number) return std::nullopt;
  return static_cast<std::size_t>(*number) << (kilo ? 10 : mega ? 20 : 0);
}

// Other buses, such as virtio's, may lie behind the device on PCI.
std::string pci_address(const std::string& device) {
  std::error_code ignored;
  const auto place = std::filesystem::canonical(device + "/device", ignored);
  std::string address;
  for (const std::filesystem::path& part : place) {
    if (is_pci_address(part.string())) address = part.string();
  }
  return address;
}

}  // namespace nmt::node
