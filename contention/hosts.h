// SPDX-License-Identifier: BSD-3-Clause
//
// Lists of host names as Slurm writes them: "login,node[001-016,20]".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nmt::contention {

// The hosts in the order of the list. A number in brackets keeps its leading zeros. Throws
// Error(kUsage) that quotes a wrong part, and for more than 100,000 hosts.
std::vector<std::string> expand_hosts(std::string_view list);

}  // namespace nmt::contention
