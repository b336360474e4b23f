// SPDX-License-Identifier: BSD-3-Clause
//
// The group "sampling": all of its parts, or those named as arguments.
#include "bench/parts.h"
#include "bench/sampling/groups.h"

namespace {

constexpr nmt::bench::Part kParts[] = {{"planted", nmt::bench::planted_truth},
                                       {"thrift", nmt::bench::thrift},
                                       {"real", nmt::bench::real_rails}};

}  // namespace

int main(int argc, char** argv) {
  return nmt::bench::run_parts({.name = "sampling", .parts = kParts}, argc, argv);
}
