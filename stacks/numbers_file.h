// SPDX-License-Identifier: BSD-3-Clause
//
// What Open MPI's rules files are made of: words with white space between them, mostly whole
// numbers, and comments from # to the end of a line. Each problem is reported with its line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nmt::stacks {

// Both texts must outlive it.
class NumbersFile {
 public:
  NumbersFile(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  bool at_end();
  // Error(kFailed) where the next word is none, or a number above `most`; `meaning` is what it
  // should be: "a message size".
  std::uint64_t next(std::string_view meaning, std::uint64_t most);
  // A message size of a list that begins with 0 and ascends; `before` is the one before.
  std::uint64_t next_message_size(std::optional<std::uint64_t> before);
  std::string next_word(std::string_view meaning);
  bool skip_word(std::string_view word);  // whether it is the next one
  // More on the line of the last number.
  bool line_goes_on() const;

  [[noreturn]] void fail(std::string_view problem) const;  // "WHAT: line N: problem"

 private:
  void skip();
  std::string_view peek();

  std::string_view text_;
  std::string_view what_;
  std::size_t line_ = 1;
};

}  // namespace nmt::stacks
