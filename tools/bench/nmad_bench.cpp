// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-bench: measures the engine over several rails, by any strategy.
#include "tools/bench/bench.h"
#include "tools/command/command.h"
#include "tools/command/terminal.h"

namespace {

constexpr char kDescription[] =
    "Measures messages of the engine over several rails at once, by any strategy.\n"
    "Two processes exchange messages, both on this node or one on another (--peer): there and "
    "back, "
    "or one way with many under way. "
    "Strategies that are compared take turns in shuffled rounds; a duration is the median of the "
    "rounds, with its 95 % interval. Decisions follow the profile that nmad-sample made.";

}  // namespace

int main(int argc, char** argv) {
  nmt::secure_standard_streams();
  nmt::Command command("nmad-bench", kDescription);
  nmt::BenchOptions options;
  nmt::Options declared = command.options();
  nmt::declare(declared, options);
  command.set_work([&options](const nmt::Invocation& invocation) {
    return nmt::run_benchmark(options, invocation);
  });
  return command.run(argc, argv);
}
