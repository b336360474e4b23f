// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/engine.h"

namespace nmt::tools {

void declare(Options& options, BenchOptions& target) {
  options.list(
      "--rails", target.rails, "RAIL,...",
      "rails to use: shm, tcp:eth0 (default: all usable)\n"
      "The names are those of nmad-sample --list; with --peer, those of nmad-sample --peer. On "
      "one node, a rail that is named twice gets two links.");
  options.text(
      "--strategy", target.strategy, "NAME",
      fmt::format(
          "how to use the rails (default: adaptive)\n"
          "One of {}. single:eth0 is short for single:tcp:eth0 if only one rail has that name.",
          fmt::join(engine::strategy_names(), ", ")));
  options.list("--compare", target.compare, "NAME,...", "compare several strategies")
      .excludes("--strategy");
  options.choice(
      "--pattern", target.pattern, {"ping-pong", "stream", "rate", "flows"},
      "what is exchanged (default: ping-pong)\n"
      "ping-pong: --at-once messages to the other end and back. stream: messages one way, "
      "--at-once of them in flight. rate: messages one way, --at-once of them posted together; "
      "then wait for all. flows: as ping-pong, with one message of each of --sizes together.");
  options.sizes("--sizes", target.sizes_bytes, "sizes of the messages (default: 1 to 16M)");
  options.count("--segments", target.segments,
                "segments per message (default: 1)\n"
                "Parts of memory that one message is gathered from.");
  options.count("--at-once", target.at_once,
                "messages at the same time (default: 1; stream 16; rate 64)\n"
                "With flows: one message per size.");
  options.count("--rounds", target.rounds, "repetitions of each cell (default: 15)");
  options
      .duration_ns("--repetition", target.repetition_ns, {1e3, 1e10},
                   "shortest duration of one repetition (default: 5ms)")
      .rare();
  declare(options, target.profile);
  declare(
      options, target.peer,
      {.tool = "nmad-bench",
       .peer = "measure between this node and HOST\n"
               "Uses each rail that nmad-sample --peer would sample. On HOST, nmad-bench --serve "
               "prints "
               "the port and the secret; or --launcher starts it there. Each node decides by its "
               "own profile.",
       .serve = "wait for a peer; print the command to run there\n"
                "Waits up to 10 min for a peer that knows the secret, and serves one benchmark.",
       .not_with_serve = {"--rails", "--compare", "--strategy", "--sizes"}});
  options.example("nmad-bench --compare single:shm,greedy,adaptive --sizes 64K,1M,16M");
}

}  // namespace nmt::tools
