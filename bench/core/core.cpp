// SPDX-License-Identifier: BSD-3-Clause
//
// The group "core": all of its parts, or those named as arguments.
#include <cstdio>
#include <string_view>

#include "bench/core/groups.h"

namespace {

struct Part {
  std::string_view name;
  void (*run)();
};

constexpr Part kParts[] = {{"operations", nmt::bench::operations},
                           {"lines", nmt::bench::source_lines},
                           {"build", nmt::bench::release_build}};

void run(std::string_view name) {
  for (const Part& part : kParts) {
    if (part.name == name) return part.run();
  }
  std::fprintf(stderr, "core: there is no part %s\n", name.data());
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) run(argv[i]);
  if (argc > 1) return 0;
  for (const Part& part : kParts) part.run();
}
