// SPDX-License-Identifier: BSD-3-Clause
//
// The group "rails": all of its parts, or those named as arguments. Needs root, for scripts/lab.
#include "bench/parts.h"
#include "bench/rails/groups.h"

namespace {

constexpr nmt::bench::Part kParts[] = {{"shapes", nmt::bench::rail_shapes},
                                       {"neighbour", nmt::bench::beside_a_neighbour},
                                       {"falls", nmt::bench::fallen_rail},
                                       {"wrong", nmt::bench::wrong_profile},
                                       {"ucx", nmt::bench::beside_ucx},
                                       {"openmpi", nmt::bench::beside_open_mpi},
                                       {"busy", nmt::bench::busy_rails},
                                       {"2007", nmt::bench::paper_2007},
                                       {"offload", nmt::bench::offloaded_chunks},
                                       {"processor", nmt::bench::processor_cost},
                                       {"programmed-io", nmt::bench::programmed_io}};

}  // namespace

int main(int argc, char** argv) {
  return nmt::bench::run_parts({.name = "rails", .parts = kParts, .needs_root = true}, argc, argv);
}
