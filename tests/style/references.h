// SPDX-License-Identifier: BSD-3-Clause
//
// Comments and documents speak of no file that the repository does not have.
//
// Held to that is each path that begins with a folder of the root, each name that ends as a header,
// a source in C++ or a page does, and where links of a page lead. Such a name may be written from
// the root, from docs or from the folder of its file, and a name without a folder may be in any.
// Names of headers that sources include in <> are of others; NAME and * stand for anything.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/style/source_tree.h"

namespace nmt::style {

// "core/plan.h:80: there is no NAME.md"
std::vector<std::string> reference_violations(std::span<const SourceFile> files);

}  // namespace nmt::style
