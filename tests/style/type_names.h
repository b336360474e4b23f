// SPDX-License-Identifier: BSD-3-Clause
//
// No two files define a type of one name in one namespace. Two such types break the one-definition
// rule in silence where a program holds both: the linker keeps one of their inline functions for
// both. The preset `lto` finds those that meet in one program today; this check needs no program.
//
// It reads definitions of classes, structs, unions and enumerations, and aliases, at the scope of a
// namespace. What an anonymous namespace holds, or another type, is of its own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/style/source_tree.h"

namespace nmt::style {

// "NAME.h:3, NAME2.h:7: nmt::Cell is defined 2 times"
std::vector<std::string> type_name_violations(std::span<const SourceFile> files);

}  // namespace nmt::style
