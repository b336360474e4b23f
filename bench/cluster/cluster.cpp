// SPDX-License-Identifier: BSD-3-Clause
//
// The group "cluster": nodes and links out of line, changes over time and checks, planted into
// noise that was recorded (bench/cluster/recorded.h), and on hosts of the lab, which needs root.
// Its parts may be named as arguments.
#include "bench/cluster/parts.h"
#include "bench/parts.h"

namespace nmt::bench {
namespace {

constexpr Part kParts[] = {{"outliers", planted_outliers},   {"without-fault", without_fault},
                           {"diff", diff_replays},           {"health", health_replays},
                           {"slow-port", slow_port},         {"unchanged-rails", unchanged_rails},
                           {"checked-rails", checked_rails}, {"many-ranks", many_ranks},
                           {"record", record_launches, true}};

}  // namespace
}  // namespace nmt::bench

int main(int argc, char** argv) {
  return nmt::bench::run_parts({.name = nmt::bench::kGroup, .parts = nmt::bench::kParts}, argc,
                               argv);
}
