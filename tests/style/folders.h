// SPDX-License-Identifier: BSD-3-Clause
//
// What a reader can guess of a folder: a source has a header of its own name, the folder's face
// opens with a map that names each of its files, and what it defines is in a namespace of its name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/style/source_tree.h"

namespace nmt::style {

// A source whose contents a header of another name declares.
struct Elsewhere {
  std::string source;  // "engine/c_api.cpp", or "tools/tune/" for all of the folder
  std::string header;
  std::string reason;
};

// Each source without a header of its name. NAME_PART.cpp is a part of NAME.h. Also what
// `exceptions` lists without need.
std::vector<std::string> sources_without_header(std::span<const SourceFile> files,
                                                std::span<const Elsewhere> exceptions);

// The header whose opening paragraph holds the map of a folder: that of the folder's own name,
// unless `faces` names another.
struct Face {
  std::string folder;
  std::string header;
};

// Files that the map of their folder does not name, rows that name no file, folders without a face.
// A row is "//   NAME   what it is", NAME without its ending, or with '/' for a folder below; a
// part of a file (NAME_PART.cpp) needs none.
std::vector<std::string> map_problems(std::span<const SourceFile> files,
                                      std::span<const Face> faces);

// Namespaces that are not of the file's folder: a folder's is nmt::FOLDER, and those within it.
// What core defines is in nmt itself, for it is every folder's vocabulary.
std::vector<std::string> namespace_violations(std::span<const SourceFile> files);

}  // namespace nmt::style
