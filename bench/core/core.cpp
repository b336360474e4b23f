// SPDX-License-Identifier: BSD-3-Clause
//
// The group "core": all of its parts, or those named as arguments.
#include "bench/core/groups.h"
#include "bench/parts.h"

namespace {

constexpr nmt::bench::Part kParts[] = {{"operations", nmt::bench::operations},
                                       {"lines", nmt::bench::source_lines},
                                       {"build", nmt::bench::release_build}};

}  // namespace

int main(int argc, char** argv) {
  return nmt::bench::run_parts({.name = "core", .parts = kParts}, argc, argv);
}
