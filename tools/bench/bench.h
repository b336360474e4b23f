// SPDX-License-Identifier: BSD-3-Clause
//
// What nmad-bench does: measures messages of the engine between two processes of this node, or of
// this node and another, by one strategy or several.
//
// Strategies are compared within rounds: each round plays every strategy once in a new order, so
// that what drifts on the machine drifts for all of them.
#pragma once

#include "tools/bench/options.h"
#include "tools/command/command.h"

namespace nmt {

Report run_benchmark(const BenchOptions& options, const Invocation& invocation);

}  // namespace nmt
