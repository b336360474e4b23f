// SPDX-License-Identifier: BSD-3-Clause
//
// Lines of C and C++ in each folder, comments and blank lines included, and the files at whose
// length CONTRIBUTING.md says to think.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/core/groups.h"
#include "bench/row.h"
#include "tests/style/source_tree.h"

namespace nmt::bench {
namespace {

constexpr std::size_t kLongLines = 400;

void print_lines(const std::string& what, std::size_t lines) {
  print_row("core", what, static_cast<double>(lines), "lines");
}

}  // namespace

void source_lines() {
  std::map<std::string, std::size_t> lines_of_folder;
  std::vector<std::pair<std::string, std::size_t>> long_files;
  for (const style::SourceFile& file : style::read_tree(NMT_SOURCE_DIR)) {
    if (!file.is_code()) continue;
    const auto lines = static_cast<std::size_t>(std::ranges::count(file.text, '\n'));
    lines_of_folder[file.folder()] += lines;
    if (lines > kLongLines) long_files.emplace_back(file.path, lines);
  }
  for (const auto& [folder, lines] : lines_of_folder) print_lines("code in " + folder, lines);
  print_row("core", "files above " + std::to_string(kLongLines) + " lines",
            static_cast<double>(long_files.size()), "files");
  for (const auto& [path, lines] : long_files) print_lines(path, lines);
}

}  // namespace nmt::bench
