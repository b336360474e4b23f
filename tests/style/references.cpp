// SPDX-License-Identifier: BSD-3-Clause
#include "tests/style/references.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>

#include "tests/style/comments.h"
#include "tests/style/floors.h"

namespace nmt::style {
namespace {

constexpr std::array<std::string_view, 4> kEndings = {".h", ".hpp", ".cpp", ".md"};
// Of MPI libraries, which we speak of and do not include.
constexpr std::array<std::string_view, 2> kOthers = {"mpif.h", "coll_base_functions.h"};

constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+";

bool is_page(const SourceFile& file) {
  return file.is_markdown() || file.path.starts_with("docs/man/");
}

// What people read in it, line by line.
std::string prose_of(const SourceFile& file) {
  if (is_page(file)) return file.text;
  if (file.is_code()) return comments_of(file.text);
  std::string prose;
  if (!file.is_cmake() && !file.is_script()) return prose;
  for (const std::string_view line : split(file.text, '\n')) {
    if (trim(line).starts_with('#')) prose += line;
    prose += '\n';
  }
  return prose;
}

class Tree {
 public:
  explicit Tree(std::span<const SourceFile> files) {
    others_.insert(kOthers.begin(), kOthers.end());
    for (const SourceFile& file : files) {
      names_.insert(file.name());
      if (!file.folder().empty()) roots_.insert(file.folder() + "/");
      for (std::filesystem::path path = file.path; !path.empty(); path = path.parent_path()) {
        paths_.insert(path.generic_string());
      }
      for (const Include& include : includes_of(file)) {
        if (!include.quoted) others_.insert(include.name);
      }
      paths_.insert(std::filesystem::path(file.path).replace_extension().generic_string());
    }
  }

  // Whether the word names a file, and none that there is.
  bool lacks(std::string_view word, const SourceFile& file) const {
    const bool in_a_root = std::ranges::any_of(
        roots_, [&](const std::string& root) { return word.starts_with(root); });
    const bool ends_as_one = std::ranges::any_of(
        kEndings, [&](auto end) { return word.ends_with(end) && word.size() > end.size(); });
    if (!in_a_root && !ends_as_one) return false;
    if (word.starts_with('/') || word.find("NAME") != word.npos) return false;
    return !has(word, file);
  }

 private:
  bool has(std::string_view word, const SourceFile& file) const {
    const std::string name(word);
    if (others_.contains(name)) return true;
    if (word.find('/') == word.npos && names_.contains(name)) return true;
    const std::filesystem::path own = std::filesystem::path(file.path).parent_path();
    return std::ranges::any_of(
        std::array<std::filesystem::path, 3>{"", "docs", own}, [&](const auto& from) {
          std::string path = (from / name).lexically_normal().generic_string();
          if (path.ends_with('/')) path.pop_back();
          return paths_.contains(path);
        });
  }

  std::set<std::string> names_;   // of files, without folders
  std::set<std::string> paths_;   // of files, with and without their ending, and of folders
  std::set<std::string> roots_;   // folders of the root, each with its slash
  std::set<std::string> others_;  // headers that are not of this project
};

// Words that could be paths; none that is a part of a pattern, a variable or an address.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_of(kLetters, at)) != line.npos;) {
    const std::size_t end = std::min(line.find_first_not_of(kLetters, at), line.size());
    std::string_view word = line.substr(at, end - at);
    const char before = at > 0 ? line[at - 1] : ' ';
    const char after = end < line.size() ? line[end] : ' ';
    at = end;
    if (std::string_view("*$~{}:@<%").find(before) != std::string_view::npos) continue;
    if (std::string_view("*${@").find(after) != std::string_view::npos) continue;
    if (word.starts_with("./")) word.remove_prefix(2);
    while (word.ends_with('.') || word.ends_with('/')) word.remove_suffix(1);
    words.push_back(word);
  }
  return words;
}

}  // namespace

std::vector<std::string> reference_violations(std::span<const SourceFile> files) {
  const Tree tree(files);
  std::vector<std::string> violations;
  for (const SourceFile& file : files) {
    const std::string prose = prose_of(file);
    std::size_t number = 0;
    for (const std::string_view line : split(prose, '\n')) {
      ++number;
      for (const std::string_view word : words_of(line)) {
        if (tree.lacks(word, file)) {
          violations.push_back(fmt::format("{}:{}: there is no {}", file.path, number, word));
        }
      }
    }
  }
  return violations;
}

}  // namespace nmt::style
