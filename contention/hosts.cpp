// SPDX-License-Identifier: BSD-3-Clause
#include "contention/hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "core/error.h"

namespace nmt::contention {
namespace {

constexpr std::size_t kDigitsMax = 9;

[[noreturn]] void refuse(std::string_view part, std::string_view problem) {
  throw Error(Fault::kUsage, fmt::format("'{}' in a list of hosts: {}; write for example "
                                         "node[01-16,20],login",
                                         part.substr(0, 60), problem));
}

// The items between commas that stand outside of brackets.
std::vector<std::string_view> items_of(std::string_view list) {
  std::vector<std::string_view> items;
  std::size_t from = 0;
  bool inside = false;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && list[i] == '[') inside = true;
    if (i < list.size() && list[i] == ']') inside = false;
    if (i < list.size() && (inside || list[i] != ',')) continue;
    if (i > from) items.push_back(list.substr(from, i - from));
    from = i + 1;
  }
  return items;
}

std::uint64_t number_in(std::string_view digits, std::string_view item) {
  std::uint64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || digits.size() > kDigitsMax || result.ec != std::errc() ||
      result.ptr != digits.data() + digits.size()) {
    refuse(item, fmt::format("'{}' is not a number", digits.substr(0, 20)));
  }
  return value;
}

void add(std::string host, std::vector<std::string>* hosts) {
  if (hosts->size() == kHostsMax) refuse(host, fmt::format("more than {} hosts", kHostsMax));
  hosts->push_back(std::move(host));
}

// "001-016" or "7", between what stands before and after the brackets.
void add_range(std::string_view range, std::string_view item, std::string_view before,
               std::string_view after, std::vector<std::string>* hosts) {
  const std::size_t dash = range.find('-');
  const std::string_view first = range.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : range.substr(dash + 1);
  const std::uint64_t from = number_in(first, item);
  const std::uint64_t to = number_in(last, item);
  if (to < from) refuse(item, fmt::format("{} comes before {}", last, first));
  for (std::uint64_t number = from; number <= to; ++number) {
    add(fmt::format("{}{:0{}}{}", before, number, first.size(), after), hosts);
  }
}

}  // namespace

std::vector<std::string> expand_hosts(std::string_view list) {
  std::vector<std::string> hosts;
  for (const std::string_view item : items_of(list)) {
    const std::size_t open = item.find('[');
    const std::size_t close = item.find(']');
    if (open == std::string_view::npos && close == std::string_view::npos) {
      add(std::string(item), &hosts);
      continue;
    }
    if (open == std::string_view::npos || close == std::string_view::npos || close < open + 2 ||
        item.find_first_of("[]", close + 1) != std::string_view::npos) {
      refuse(item, "one pair of brackets with numbers is possible");
    }
    for (const std::string_view range : items_of(item.substr(open + 1, close - open - 1))) {
      add_range(range, item, item.substr(0, open), item.substr(close + 1), &hosts);
    }
  }
  if (hosts.empty()) refuse(list, "no host");
  return hosts;
}

}  // namespace nmt::contention
