// SPDX-License-Identifier: BSD-3-Clause
//
// The group "exports": all of its parts, or those named as arguments. Needs root, for scripts/lab.
#include "bench/exports/groups.h"
#include "bench/parts.h"

namespace {

constexpr nmt::bench::Part kParts[] = {
    {"rails-600", [] { nmt::bench::weighted_rails(1000, 600, 1.25); }},
    {"rails-400", [] { nmt::bench::weighted_rails(1000, 400, 1.5); }},
    {"rails-250", [] { nmt::bench::weighted_rails(1000, 250, 1.25); }},
    {"effects", nmt::bench::effects},
    {"limits-openmpi", [] { nmt::bench::limits("openmpi", "openmpi", "1000"); }},
    {"limits-mpich", [] { nmt::bench::limits("mpich", "mpich", "1000"); }},
    {"limits-ucx", [] { nmt::bench::limits("ucx", "openmpi", "1000"); }},
    {"limits-ucx-two-rails", [] { nmt::bench::limits("ucx", "openmpi", "1000 600"); }},
    {"limits-libfabric", [] { nmt::bench::limits("libfabric", "openmpi", "1000"); }},
    {"collectives", nmt::bench::collective_rules},
    {"mpich", nmt::bench::mpich_rules},
    {"rules", nmt::bench::accepted_rules}};

}  // namespace

int main(int argc, char** argv) {
  return nmt::bench::run_parts({.name = "exports", .parts = kParts, .needs_root = true}, argc,
                               argv);
}
