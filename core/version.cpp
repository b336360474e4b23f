// SPDX-License-Identifier: BSD-3-Clause
#include "core/version.h"

#include <charconv>
#include <cstddef>
#include <system_error>

namespace nmt {

std::string version_in(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i])) continue;
    std::size_t end = i;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
    const std::string_view version = text.substr(i, end - i);
    if (version.find('.') != std::string_view::npos) return std::string(version);
    i = end;
  }
  return {};
}

bool older(std::string_view version, std::string_view other) {
  const auto next = [](std::string_view& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with('.')) text.remove_prefix(1);
    if (error != std::errc()) text = {};
    return number;
  };
  while (!version.empty() || !other.empty()) {
    const int own = next(version), theirs = next(other);
    if (own != theirs) return own < theirs;
  }
  return false;
}

}  // namespace nmt
