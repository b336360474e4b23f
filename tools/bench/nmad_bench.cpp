// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-bench: measures the engine over several rails, and compares collectives with an MPI's own.
#include "tools/bench/bench.h"
#include "tools/bench/collectives.h"
#include "tools/command/command.h"
#include "tools/command/terminal.h"

namespace {

constexpr char kDescription[] =
    "Measures the engine's strategies over several rails, and our collectives.\n"
    "messages: the engine sends over several rails at once, between two processes of this "
    "node, or between this node and another (--peer). collectives: in a job of an MPI, "
    "compares what libnmadtune-mpi runs with what the MPI chooses. The candidates take "
    "turns in shuffled rounds; a duration is the median of the rounds, with its 95 % "
    "interval. Decisions follow the profile that nmad-sample wrote. The default verb is "
    "messages.";

}  // namespace

int main(int argc, char** argv) {
  nmt::tools::secure_standard_streams();
  nmt::tools::Command command("nmad-bench", kDescription);
  nmt::tools::BenchOptions messages;
  nmt::tools::CollectivesBenchOptions collectives;
  command.add_subcommand({"messages",
                          "measure messages over several rails, with one strategy or several",
                          [&messages](nmt::tools::Options& options) -> nmt::tools::Work {
                            nmt::tools::declare(options, messages);
                            return [&messages](const nmt::tools::Invocation& invocation) {
                              return nmt::tools::run_benchmark(messages, invocation);
                            };
                          }});
  command.add_subcommand({"collectives", "in a job: compare our collectives with the MPI's own",
                          [&collectives](nmt::tools::Options& options) -> nmt::tools::Work {
                            nmt::tools::declare(options, collectives);
                            return [&collectives](const nmt::tools::Invocation& invocation) {
                              return nmt::tools::bench_collectives(collectives, invocation);
                            };
                          }});
  command.options().example("nmad-bench --compare single:shm,adaptive --sizes 64K,1M");
  command.set_default_subcommand("messages");
  return command.run(argc, argv);
}
