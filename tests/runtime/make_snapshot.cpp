// SPDX-License-Identifier: BSD-3-Clause
//
// Writes a snapshot of made-up rails, for tests that are programs of their own: make_snapshot FILE
// [RAIL...].
#include <random>

#include "tests/runtime/planted.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::mt19937_64 random(1);
  nmt::Plan plan = nmt::planted::plan({});
  for (int i = 2; i < argc; ++i) {
    plan.rails.push_back(nmt::planted::random_full_rail(random, argv[i]));
  }
  nmt::planted::write_file(argv[1], nmt::compile(nmt::planted::provenance(), plan).bytes());
}
