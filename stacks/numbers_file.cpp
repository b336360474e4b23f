// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/numbers_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/json.h"

namespace nmt::stacks {

bool NumbersFile::at_end() {
  skip();
  return text_.empty();
}

std::uint64_t NumbersFile::next(std::string_view meaning, std::uint64_t most) {
  const std::string_view word = peek();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (word.empty()) fail(fmt::format("the file ends; expected {}", meaning));
  if (error != std::errc() || end != word.data() + word.size()) {
    fail(fmt::format("'{}' is not {}", json::printable(word), meaning));
  }
  if (number > most) fail(fmt::format("{} {} is above {}", meaning, number, most));
  text_.remove_prefix(word.size());
  return number;
}

std::uint64_t NumbersFile::next_message_size(std::optional<std::uint64_t> before) {
  const std::uint64_t size_bytes = next("a message size", std::uint64_t{1} << 62);
  if (!before && size_bytes != 0) {
    fail(fmt::format("the first message size must be 0, not {}", size_bytes));
  }
  if (before && size_bytes <= *before) {
    fail(fmt::format("message sizes must ascend: {} follows {}", size_bytes, *before));
  }
  return size_bytes;
}

std::string NumbersFile::next_word(std::string_view meaning) {
  const std::string word(peek());
  if (word.empty()) fail(fmt::format("the file ends; expected {}", meaning));
  text_.remove_prefix(word.size());
  return word;
}

bool NumbersFile::skip_word(std::string_view word) {
  if (peek() != word) return false;
  text_.remove_prefix(word.size());
  return true;
}

bool NumbersFile::line_goes_on() const {
  const std::size_t next = text_.find_first_not_of(" \t\r");
  return next != std::string_view::npos && text_[next] != '\n' && text_[next] != '#';
}

void NumbersFile::fail(std::string_view problem) const {
  throw Error(Fault::kFailed, fmt::format("{}: line {}: {}", what_, line_, problem));
}

void NumbersFile::skip() {
  while (!text_.empty()) {
    if (text_.front() == '#') {
      text_.remove_prefix(std::min(text_.size(), text_.find('\n')));
    } else if (text_.front() == '\n') {
      ++line_;
      text_.remove_prefix(1);
    } else if (text_.front() == ' ' || text_.front() == '\t' || text_.front() == '\r') {
      text_.remove_prefix(1);
    } else {
      return;
    }
  }
}

std::string_view NumbersFile::peek() {
  skip();
  return text_.substr(0, text_.find_first_of(" \t\r\n#"));
}

}  // namespace nmt::stacks
