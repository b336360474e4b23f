// SPDX-License-Identifier: BSD-3-Clause
#include "tests/style/source_tree.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace nmt::style {
namespace {

bool is_source_folder(const std::filesystem::path& folder, const std::filesystem::path& root) {
  const std::string name = folder.filename().string();
  if (name.starts_with('.') && name != ".ci") return false;
  if (folder.parent_path() == root && name.starts_with("build")) return false;  // as git ignores
  return !std::filesystem::exists(folder / "CMakeFiles");
}

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::string SourceFile::folder() const {
  const std::size_t slash = path.find('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string SourceFile::name() const { return path.substr(path.rfind('/') + 1); }

bool SourceFile::is_code() const {
  return is_header() || path.ends_with(".c") || path.ends_with(".cpp");
}

bool SourceFile::is_header() const { return path.ends_with(".h") || path.ends_with(".hpp"); }

bool SourceFile::is_cmake() const { return name() == "CMakeLists.txt" || path.ends_with(".cmake"); }

bool SourceFile::is_script() const { return text.starts_with("#!"); }

bool SourceFile::is_markdown() const { return path.ends_with(".md"); }

std::vector<SourceFile> read_tree(const std::filesystem::path& root) {
  std::vector<SourceFile> files;
  std::filesystem::recursive_directory_iterator entry(root);
  for (; entry != std::filesystem::recursive_directory_iterator(); ++entry) {
    if (entry->is_directory()) {
      if (!is_source_folder(entry->path(), root)) entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      files.push_back({entry->path().lexically_relative(root).generic_string(), ""});
      SourceFile& file = files.back();
      file.text = read(entry->path());
    }
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace nmt::style
