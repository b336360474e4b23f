// SPDX-License-Identifier: BSD-3-Clause
//
// Selection tables as an MPICH would have them built in, and bytes of a library that has these. Of
// each operation that is sampled: "nb" on two ranks, the first of its algorithms on more; all
// compositions are "old".
#pragma once

#include <string>

namespace nmt::testing {

std::string algorithms_text();
std::string compositions_text();
std::string planted_mpich_library();  // knows all algorithms

}  // namespace nmt::testing
