// SPDX-License-Identifier: BSD-3-Clause
//
// What a program can check of the style in one file (CONTRIBUTING.md says the rest).
//
// Code, CMake files and scripts: licence line first, at most 100 columns and 600 lines, no tabs, no
// blanks at line ends, a last line that ends, and none of the words by which work is called
// unfinished. Headers also: #pragma once, and before it a paragraph of prose that says what the
// header is. Markdown: the same, but for licence, columns and length.
#pragma once

#include <string>
#include <vector>

#include "tests/style/source_tree.h"

namespace nmt::style {

std::vector<std::string> style_violations(const SourceFile& file);  // "path:line: what"

}  // namespace nmt::style
