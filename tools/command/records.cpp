// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/records.h"

#include <string_view>

#include "tools/command/text.h"

namespace nmt::tools {
namespace {

std::string text_cell(std::string_view outside) {
  std::string cell = plain(outside);
  if (!cell.empty() && std::string_view("=+-@").find(cell[0]) != std::string_view::npos) {
    cell.insert(cell.begin(), '\'');
  }
  if (cell.find_first_of(",\"") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string cell(const json::Value& value) {
  if (value.is_null()) return "";
  if (const auto* text = value.get_if<std::string>()) return text_cell(*text);
  return value.dump(-1);
}

}  // namespace

std::string to_csv(const Records& records) {
  std::string out;
  const auto add_row = [&](const auto& cells, auto&& format) {
    std::string_view separator;
    for (const auto& value : cells) {
      out.append(separator).append(format(value));
      separator = ",";
    }
    out += '\n';
  };
  if (records.header.empty()) return out;
  add_row(records.header, text_cell);
  for (const auto& row : records.rows) add_row(row, cell);
  return out;
}

}  // namespace nmt::tools
