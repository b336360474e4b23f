// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/text.h"

#include <algorithm>

#include "core/error.h"
#include "core/json.h"

namespace nmt::tools {
namespace {

constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kPlain = "\033[0m";
constexpr std::string_view kGap = "  ";
constexpr std::size_t kLastColumnMin = 20;  // a narrower column is worse than a long line

std::string highlighted(const std::string& text, bool highlight) {
  return highlight ? std::string(kBold) + text + std::string(kPlain) : text;
}

std::string padded(const std::string& cell, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, display_width(cell)), ' ');
  return right ? blanks + cell : cell + blanks;
}

}  // namespace

std::string plain(std::string_view text) {
  constexpr std::size_t kSizeMax = std::size_t{1} << 16;  // longer than any real name or message
  return json::printable(text, kSizeMax);
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (display_width(line) + 1 + display_width(word) <= width) {
      line.append(" ").append(word);
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

Table::Table(const std::vector<std::string>& headings) {
  for (const std::string& heading : headings) {
    right_.push_back(heading.starts_with('>'));
    headings_.push_back(right_.back() ? heading.substr(1) : heading);
  }
}

void Table::add(std::vector<std::string> cells) {
  NMT_CHECK(cells.size() == headings_.size());
  for (std::string& cell : cells) cell = plain(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths(const TextStyle& style) const {
  std::vector<std::size_t> widths;
  std::size_t before_last = 0;
  for (std::size_t column = 0; column < headings_.size(); ++column) {
    std::size_t width = display_width(headings_[column]);
    for (const auto& row : rows_) width = std::max(width, display_width(row[column]));
    if (column > 0) before_last += widths.back() + kGap.size();
    widths.push_back(width);
  }
  if (style.width >= before_last + kLastColumnMin) {
    widths.back() = std::min(widths.back(), style.width - before_last);
  }
  return widths;
}

std::string Table::render(const TextStyle& style) const {
  const std::vector<std::size_t> widths = this->widths(style);
  const std::size_t last = headings_.size() - 1;
  std::string out;
  const auto add_row = [&](const std::vector<std::string>& cells, bool highlight) {
    std::string line;
    for (std::size_t column = 0; column < last; ++column) {
      line.append(padded(cells[column], widths[column], right_[column])).append(kGap);
    }
    const std::string indent(display_width(line), ' ');
    for (const std::string& part : wrap(cells[last], widths[last])) {
      line += padded(part, widths[last], right_[last]);
      line.erase(line.find_last_not_of(' ') + 1);
      out += highlighted(line, highlight) + '\n';
      line = indent;
    }
  };
  add_row(headings_, style.highlight);
  for (const auto& row : rows_) add_row(row, false);
  return out;
}

Text& Text::heading(std::string_view text) {
  blocks_.emplace_back(Heading{plain(text)});
  return *this;
}

Text& Text::line(std::string_view text) {
  blocks_.emplace_back(plain(text));
  return *this;
}

Text& Text::table(Table table) {
  blocks_.emplace_back(std::move(table));
  return *this;
}

Text& Text::append(const Text& other) {
  blocks_.insert(blocks_.end(), other.blocks_.begin(), other.blocks_.end());
  return *this;
}

std::string Text::render(const TextStyle& style) const {
  std::string out;
  for (const auto& block : blocks_) {
    if (const auto* heading = std::get_if<Heading>(&block)) {
      if (!out.empty()) out += '\n';
      out += highlighted(heading->text, style.highlight) + '\n';
    } else if (const auto* line = std::get_if<std::string>(&block)) {
      out += *line + '\n';
    } else {
      out += std::get<Table>(block).render(style);
    }
  }
  return out;
}

}  // namespace nmt::tools
