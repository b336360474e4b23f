// SPDX-License-Identifier: BSD-3-Clause
//
// The group "alltoall": all of its parts, or those named as arguments.
#include "bench/alltoall/groups.h"
#include "bench/parts.h"

namespace {

constexpr nmt::bench::Part kParts[] = {{"planted", nmt::bench::planted_signatures},
                                       {"fit-time", nmt::bench::fit_time},
                                       {"answer-time", nmt::bench::answer_time},
                                       {"ten-hosts", nmt::bench::ten_hosts}};

}  // namespace

int main(int argc, char** argv) {
  return nmt::bench::run_parts({.name = "alltoall", .parts = kParts}, argc, argv);
}
