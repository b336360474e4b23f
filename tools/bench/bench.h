// SPDX-License-Identifier: BSD-3-Clause
//
// What nmad-bench does: measures messages of the engine between two processes of this node, or of
// this node and another, by one strategy or several.
//
// Strategies are compared within rounds: each round plays every strategy once in a new order, so
// that what drifts on the machine drifts for all of them.
//
// In reading order:
//   nmad_bench              main()
//   options                 the options
//   request                 what the options mean: cells, strategies, rails
//   profile                 the profile that a benchmark decides by
//   bench_ends              the two ends of a benchmark
//   measurement_config      what the two ends agree on
//   traffic_pattern         what the two ends exchange
//   bench_report            what is printed
//   collectives             nmad-bench collectives
//   collective_comparison   our collectives against an MPI's own, in turns
#pragma once

#include "tools/bench/options.h"
#include "tools/command/command.h"

namespace nmt {

Report run_benchmark(const BenchOptions& options, const Invocation& invocation);

}  // namespace nmt
