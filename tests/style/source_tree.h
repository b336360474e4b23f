// SPDX-License-Identifier: BSD-3-Clause
//
// The project's own files, as the checks of this folder read them.
//
// Hidden folders are left out (but for .ci), and so is every folder that holds CMakeFiles: that is
// a build, not a source. Paths are relative to the root of the repository, with '/'.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nmt::style {

struct SourceFile {
  std::string path;
  std::string text;

  std::string folder() const;  // first part of the path; empty for a file at the root
  std::string name() const;    // last part of the path
  bool is_code() const;        // C or C++
  bool is_header() const;
  bool is_cmake() const;
  bool is_script() const;  // begins with #!
  bool is_markdown() const;
};

std::vector<SourceFile> read_tree(const std::filesystem::path& root);

std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

}  // namespace nmt::style
