// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/engine.h"

namespace nmt {

void declare(Options& options, BenchOptions& target) {
  options.list("--rails", target.rails, "RAIL,...",
               "over which rails: shm, tcp:eth0 (all usable)\n"
               "As nmad-sample --list names them, or, with --peer, as nmad-sample --peer does. On "
               "one node a rail named twice gets two links.");
  options.text("--strategy", target.strategy, "NAME",
               fmt::format("how to use them (adaptive)\nOne of {}. single:eth0 will do for "
                           "single:tcp:eth0 where only one rail is called so.",
                           fmt::join(strategy_names(), ", ")));
  options.list("--compare", target.compare, "NAME,...", "several strategies, side by side")
      .excludes("--strategy");
  options.choice("--pattern", target.pattern, {"ping-pong", "stream", "rate", "flows"},
                 "what is exchanged (ping-pong)\n"
                 "ping-pong: messages there and back, --at-once of them; stream: one way, with "
                 "--at-once under way; rate: one way, --at-once posted together and then waited "
                 "for; flows: as ping-pong, but one message of each of --sizes together.");
  options.sizes("--sizes", target.sizes_bytes, "of which bytes the messages (1 to 16M)");
  options.count("--segments", target.segments, "in how many parts a message lies in memory (1)");
  options.count("--at-once", target.at_once,
                "messages together (1; stream 16; rate 64)\n"
                "Of flows: as many as there are sizes.");
  options.count("--rounds", target.rounds, "repetitions of each cell (15)");
  options
      .duration_ns("--repetition", target.repetition_ns, {1e3, 1e10},
                   "how long one repetition is at least (5ms)")
      .rare();
  declare(options, target.profile);
  declare(options, target.peer,
          {.tool = "nmad-bench",
           .peer = "measure between this node and HOST\n"
                   "Over each rail that nmad-sample --peer would sample. The other end runs "
                   "nmad-bench --serve, which prints the port and the secret, or is started by "
                   "--launcher; it decides by its own profile.",
           .serve = "be the other end: print the command for HOST\n"
                    "Waits ten minutes for who knows the secret, and serves one benchmark.",
           .not_with_serve = {"--rails", "--compare", "--strategy", "--sizes"}});
  options.example("nmad-bench --compare single:shm,greedy,adaptive --sizes 64K,1M,16M");
}

}  // namespace nmt
