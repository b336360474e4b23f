// SPDX-License-Identifier: BSD-3-Clause
//
// Lists of host names as Slurm writes them: "login,node[001-016,20]".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nmt::contention {

inline constexpr std::size_t kHostsMax = 100'000;  // of one job; more is a typing error

// The hosts in the order of the list. A number in brackets keeps its leading zeros. Throws
// Error(kUsage) that quotes a wrong part, and for more than kHostsMax hosts.
std::vector<std::string> expand_hosts(std::string_view list);

}  // namespace nmt::contention
