// SPDX-License-Identifier: BSD-3-Clause
//
// Which paths of a profile a user asks for, by the names of their ends.
#pragma once

#include <map>
#include <set>
#include <string>

#include "core/id.h"
#include "core/path_name.h"
#include "tools/command/options.h"

namespace nmt::tools {

struct PathChoice {
  std::string node;  // --node: a host at either end
  std::string peer;  // --peer: the host at the other end
  std::string path;  // --path: the beginning of an identifier, or the name as it is printed
};
void declare(Options& options, PathChoice& target);

// All where nothing is asked for. Throws Error(kUsage) with the nearest name if a host or a path is
// not among them, and if none of them is all that was asked for.
std::set<Id> chosen_paths(const std::map<Id, PathName>& paths, const PathChoice& choice);

}  // namespace nmt::tools
