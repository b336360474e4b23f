// SPDX-License-Identifier: BSD-3-Clause
//
// The group "rails": all of its parts, or those named as arguments. Needs root, for scripts/lab.
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "bench/rails/groups.h"

namespace {

struct Part {
  std::string_view name;
  void (*run)();
};

constexpr Part kParts[] = {
    {"shapes", nmt::bench::rail_shapes},       {"openmpi", nmt::bench::beside_open_mpi},
    {"busy", nmt::bench::busy_rails},          {"2007", nmt::bench::paper_2007},
    {"offload", nmt::bench::offloaded_chunks}, {"processor", nmt::bench::processor_cost}};

void run(std::string_view name) {
  for (const Part& part : kParts) {
    if (part.name == name) return part.run();
  }
  std::fprintf(stderr, "rails: there is no part %s\n", name.data());
}

}  // namespace

int main(int argc, char** argv) {
  if (::geteuid() != 0) {
    std::fprintf(stderr, "rails: two hosts on one machine need root; run it by sudo\n");
    return 1;
  }
  for (int i = 1; i < argc; ++i) run(argv[i]);
  if (argc > 1) return 0;
  for (const Part& part : kParts) part.run();
}
