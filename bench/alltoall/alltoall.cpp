// SPDX-License-Identifier: BSD-3-Clause
//
// The group "alltoall": all of its parts, or those named as arguments. Exit code 2: there is no
// such part.
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "bench/alltoall/groups.h"

namespace {

struct Part {
  std::string_view name;
  void (*run)();
};

constexpr Part kParts[] = {{"planted", nmt::bench::planted_signatures},
                           {"fit-time", nmt::bench::fit_time},
                           {"answer-time", nmt::bench::answer_time},
                           {"ten-hosts", nmt::bench::ten_hosts}};

const Part* find(std::string_view name) {
  const Part* found = std::ranges::find(kParts, name, &Part::name);
  return found == std::end(kParts) ? nullptr : found;
}

int refuse(const char* name) {
  std::fprintf(stderr, "alltoall: no part %s; parts are:", name);
  for (const Part& part : kParts) std::fprintf(stderr, " %s", part.name.data());
  std::fprintf(stderr, "\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (find(argv[i]) == nullptr) return refuse(argv[i]);
  }
  for (int i = 1; i < argc; ++i) find(argv[i])->run();
  if (argc > 1) return 0;
  for (const Part& part : kParts) part.run();
}
