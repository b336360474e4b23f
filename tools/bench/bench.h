// SPDX-License-Identifier: BSD-3-Clause
//
// The work of nmad-bench: measures messages of the engine between two processes of this node, or
// between this node and another, with one or several strategies.
//
// Strategies are compared within rounds: each round runs every strategy once, in a new order, so
// that the machine's drift affects all of them.
//
// In reading order:
//   nmad_bench              main()
//   options                 the options
//   request                 what the options select: cells, strategies, rails
//   profile                 the profile that a benchmark uses
//   bench_ends              the two ends of a benchmark
//   measurement_config      what the two ends agree on
//   traffic_pattern         what the two ends exchange
//   bench_report            prints the results
//   collectives             nmad-bench collectives
//   collective_comparison   runs our collectives and an MPI's own in turns
#pragma once

#include "tools/bench/options.h"
#include "tools/command/command.h"

namespace nmt::tools {

Report run_benchmark(const BenchOptions& options, const Invocation& invocation);

}  // namespace nmt::tools
