// SPDX-License-Identifier: BSD-3-Clause
//
// The group "exports": all of its parts, or those named as arguments. Needs root, for scripts/lab.
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "bench/exports/groups.h"

namespace {

struct Part {
  std::string_view name;
  void (*run)();
};

constexpr Part kParts[] = {{"rails-600", [] { nmt::bench::weighted_rails(1000, 600, 1.25); }},
                           {"rails-400", [] { nmt::bench::weighted_rails(1000, 400, 1.5); }},
                           {"rails-250", [] { nmt::bench::weighted_rails(1000, 250, 1.25); }},
                           {"effects", nmt::bench::effects},
                           {"limits-openmpi", [] { nmt::bench::limits("openmpi", "openmpi"); }},
                           {"limits-mpich", [] { nmt::bench::limits("mpich", "mpich"); }},
                           {"limits-ucx", [] { nmt::bench::limits("ucx", "openmpi"); }},
                           {"limits-libfabric", [] { nmt::bench::limits("libfabric", "openmpi"); }},
                           {"collectives", nmt::bench::collective_rules},
                           {"mpich", nmt::bench::mpich_rules},
                           {"rules", nmt::bench::accepted_rules}};

void run(std::string_view name) {
  for (const Part& part : kParts) {
    if (part.name == name) return part.run();
  }
  std::fprintf(stderr, "exports: there is no part %s\n", name.data());
}

}  // namespace

int main(int argc, char** argv) {
  if (::geteuid() != 0) {
    std::fprintf(stderr, "exports: hosts on one machine need root; run it by sudo\n");
    return 1;
  }
  for (int i = 1; i < argc; ++i) run(argv[i]);
  if (argc > 1) return 0;
  for (const Part& part : kParts) part.run();
}
