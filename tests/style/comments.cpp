// SPDX-License-Identifier: BSD-3-Clause
#include "tests/style/comments.h"

#include <algorithm>
#include <cctype>

#include "tests/style/source_tree.h"

namespace nmt::style {
namespace {

// Reads a source once; each reader of a part leaves `at_` behind it.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {
    while (at_ < text_.size()) step();
  }

  std::string code, comments;

 private:
  bool ahead(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void step() {
    const char c = text_[at_];
    if (ahead("//")) {
      skip_to(text_.find('\n', at_), &comments);
    } else if (ahead("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      skip_to(end == text_.npos ? end : end + 2, &comments);
    } else if (ahead("R\"")) {
      const std::size_t open = text_.find('(', at_);
      const std::string close = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
      const std::size_t end = text_.find(close, open);
      skip_to(end == text_.npos ? end : end + close.size(), nullptr);
    } else if (c == '"' || (c == '\'' && !is_digit_separator())) {
      skip_literal(c);
    } else if (c == '#' && trim(text_.substr(line_begin_, at_ - line_begin_)).empty()) {
      skip_directive();
    } else {
      take(&code);
    }
  }

  bool is_digit_separator() const {
    return at_ > 0 && std::isalnum(static_cast<unsigned char>(text_[at_ - 1]));
  }

  // Up to the end of the line, and on where that is escaped; what comes after // is a comment.
  void skip_directive() {
    while (at_ < text_.size() && !ahead("//") && (text_[at_] != '\n' || text_[at_ - 1] == '\\')) {
      take(nullptr);
    }
  }

  void skip_literal(char quote) {
    take(&code);
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\') take(nullptr);
      take(nullptr);
    }
    take(&code);
  }

  void skip_to(std::size_t end, std::string* part) {
    end = std::min(end, text_.size());
    while (at_ < end) take(part);
  }

  void take(std::string* part) {
    if (at_ >= text_.size()) return;
    const char c = text_[at_++];
    if (c == '\n') {
      code += c;
      comments += c;
      line_begin_ = at_;
    } else if (part != nullptr) {
      *part += c;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
};

}  // namespace

std::string code_of(std::string_view text) { return Splitter(text).code; }
std::string comments_of(std::string_view text) { return Splitter(text).comments; }

}  // namespace nmt::style
