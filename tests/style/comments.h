// SPDX-License-Identifier: BSD-3-Clause
//
// A source of C or C++ taken apart: its code, and its comments. Both keep the ends of all lines, so
// that line numbers stay true.
#pragma once

#include <string>
#include <string_view>

namespace nmt::style {

// Without comments, the contents of literals, and preprocessor directives.
std::string code_of(std::string_view text);

// What stands after // and between /* and */, with everything else left out.
std::string comments_of(std::string_view text);

}  // namespace nmt::style
