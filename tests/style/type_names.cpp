// SPDX-License-Identifier: BSD-3-Clause
#include "tests/style/type_names.h"

#include <fmt/format.h>

#include <map>
#include <regex>
#include <set>
#include <string_view>

#include "tests/style/comments.h"

namespace nmt::style {
namespace {

struct Scope {
  enum Kind { kNamespace, kAnonymous, kOther } kind = kOther;
  std::string name;
};

// Walks over the text of a file in which only code is left, and keeps what is open around it.
class Definitions {
 public:
  explicit Definitions(std::string_view code) {
    std::string head;  // what stands before the next brace or semicolon
    for (const char c : code) {
      line_ += c == '\n';
      if (c == '{') {
        open(head);
      } else if (c == '}') {
        if (!scopes_.empty()) scopes_.pop_back();
      } else if (c == ';') {
        alias(head);
      } else {
        if (!head.empty() || !std::isspace(static_cast<unsigned char>(c))) head += c;
        continue;
      }
      head.clear();
    }
  }

  const std::map<std::string, std::size_t>& lines() const { return lines_; }  // by name

 private:
  void open(const std::string& head) {
    static const std::regex kNamespace(R"(^(?:inline\s+)?namespace\b\s*([\w:]*)\s*$)");
    static const std::regex kLanguage(R"(^extern\s*$)");
    static const std::regex kType(
        R"(^(?:template\s*<.*>\s*)?(?:typedef\s+)?(?:struct|class|union|enum(?:\s+class)?)\s+)"
        R"((?:\[\[\w+\]\]\s*|alignas\s*\([^)]*\)\s*)*(\w+\s*(?:<[^{]*>)?)\s*(?:final\s*)?)"
        R"((?:$|:[^:]))");
    std::smatch found;
    if (std::regex_search(head, found, kNamespace)) {
      const std::string name = found[1];
      scopes_.push_back({name.empty() ? Scope::kAnonymous : Scope::kNamespace, name});
    } else if (std::regex_search(head, found, kLanguage)) {
      scopes_.push_back({Scope::kNamespace, ""});
    } else {
      if (std::regex_search(head, found, kType)) define(found[1]);
      scopes_.push_back({});
    }
  }

  void alias(const std::string& head) {
    static const std::regex kAlias(R"(^(?:template\s*<.*>\s*)?using\s+(\w+)\s*=)");
    std::smatch found;
    if (std::regex_search(head, found, kAlias)) define(found[1]);
  }

  void define(std::string name) {
    std::string qualified;
    for (const Scope& scope : scopes_) {
      if (scope.kind != Scope::kNamespace) return;
      if (!scope.name.empty()) qualified += scope.name + "::";
    }
    while (std::isspace(static_cast<unsigned char>(name.back()))) name.pop_back();
    lines_.emplace(qualified + name, line_);
  }

  std::size_t line_ = 1;
  std::vector<Scope> scopes_;
  std::map<std::string, std::size_t> lines_;
};

}  // namespace

std::vector<std::string> type_name_violations(std::span<const SourceFile> files) {
  std::map<std::string, std::vector<std::string>> places;
  for (const SourceFile& file : files) {
    if (!file.is_code()) continue;
    const Definitions definitions(code_of(file.text));
    for (const auto& [name, line] : definitions.lines()) {
      places[name].push_back(fmt::format("{}:{}", file.path, line));
    }
  }
  std::vector<std::string> violations;
  for (const auto& [name, where] : places) {
    if (where.size() > 1) {
      violations.push_back(
          fmt::format("{}: {} is defined {} times", fmt::join(where, ", "), name, where.size()));
    }
  }
  return violations;
}

}  // namespace nmt::style
