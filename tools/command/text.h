// SPDX-License-Identifier: BSD-3-Clause
//
// Text that a command prints for people: headings, lines and tables, in order.
//
// Text may come from outside (device names, imported strings), so control characters are replaced
// when it is added: it cannot control a terminal. Cells are aligned by column. If a table is wider
// than the terminal, its last column is wrapped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nmt::tools {

// How to render; 0 columns means no limit.
struct TextStyle {
  std::size_t width = 0;
  bool highlight = false;
};

class Table {
 public:
  // A column whose heading begins with '>' is aligned to the right, for numbers.
  explicit Table(const std::vector<std::string>& headings);

  void add(std::vector<std::string> cells);  // one per heading
  std::string render(const TextStyle& style) const;

 private:
  std::vector<std::size_t> widths(const TextStyle& style) const;

  std::vector<std::string> headings_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

class Text {
 public:
  Text& heading(std::string_view text);  // after an empty line, unless first
  Text& line(std::string_view text);
  Text& table(Table table);
  Text& append(const Text& other);

  std::string render(const TextStyle& style) const;

 private:
  struct Heading {
    std::string text;
  };
  std::vector<std::variant<Heading, std::string, Table>> blocks_;
};

// One complete line of text from outside, without control characters.
std::string plain(std::string_view text);

// Number of columns of UTF-8 text, with one column per character.
std::size_t display_width(std::string_view text);

// Breaks at blanks into lines of at most `width` columns; a longer word stays whole. Returns at
// least one line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace nmt::tools
