// SPDX-License-Identifier: BSD-3-Clause
//
// Writes a snapshot of made-up rails, for tests that are programs of their own: make_snapshot FILE
// SEED RAIL RAIL...
#include <random>
#include <string>

#include "tests/runtime/planted.h"

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  std::mt19937_64 random(std::stoul(argv[2]));
  const nmt::Plan plan = nmt::planted::full_plan(random, {argv + 3, argv + argc});
  nmt::planted::write_file(argv[1],
                           nmt::runtime::compile(nmt::planted::provenance(), plan).bytes());
}
