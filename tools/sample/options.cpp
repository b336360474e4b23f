// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nmt {
namespace {

// Limits of what makes sense, not of what works: below, nothing can be learnt; above, a unit was
// mistyped.
constexpr NumberLimits kBudgetNs = {.low = 0.1e9, .high = 24 * 3600e9};
constexpr NumberLimits kPrecision = {.low = 0.001, .high = 0.5};
constexpr ByteLimits kSizeBytes = {.low = 1024, .high = std::uint64_t{64} << 20};
constexpr ByteLimits kUnexpectedBytes = {.low = 64, .high = std::uint64_t{64} << 20};

void declare_rails_and_profile(Options& options, SampleOptions& target) {
  options.flag("--list", target.list,
               "list the rails, and why others cannot be used\n"
               "Nothing is measured. With --rails, only the rails named.");
  options.list("--rails", target.rails, "RAIL,...",
               "what to sample: shm, tcp:lo, fake:FILE (all usable)\n"
               "A driver's name alone stands for all its usable rails; fake:FILE for all rails "
               "that FILE describes, in virtual time, without hardware.");
  options.text("--db", target.db, "FILE",
               "profile database to write (the user's)\n"
               "Where it is not given: $NMADTUNE_DB, else the user's profile.");
  options.flag("--system", target.system, "write the system's profile, not the user's")
      .excludes("--db");
}

void declare_measuring(Options& options, SampleOptions& target) {
  SamplingOptions& sampling = target.sampling;
  options.duration_ns(
      "--budget", target.budget_ns, kBudgetNs,
      "time for all rails, verification included (60s)\n"
      "With --stack --parts collectives: for each of five collectives (what fills 13 minutes).");
  options.fraction("--precision", sampling.precision, kPrecision,
                   "asked half-width of the interval of a median (2%)");
  options.bytes("--max-size", sampling.size_bytes_max, kSizeBytes,
                "largest message, at most 64M (16M)");
  options
      .bytes("--max-unexpected", sampling.max_unexpected_bytes, kUnexpectedBytes,
             "largest message that may come unexpected (64K)\n"
             "A rendezvous threshold is never above it: what is larger asks first.")
      .rare();
  options.count("--seed", target.seed,
                "order of measuring, sizes held out (random)\n"
                "The seed is recorded with the campaign. Described rails draw their noise from "
                "it too.");
  options.flag("--resume", target.resume,
               "go on with the campaign that these options began\n"
               "The newest campaign of this platform that was begun with the same options and is "
               "not complete: measures what is missing, in what is left of its budget. Begins a "
               "new one where there is none.");
  options.flag("--verify", sampling.verify,
               "also measure unused sizes, and tell errors and regrets\n"
               "At least 40 sizes that nothing was derived from: the error of each prediction, "
               "and the regret of each decision against the best method measured there.");
  options
      .flag("--pairs", target.pairs,
            "also measure rails while others are busy (with --peer)\n"
            "Each rail beside each other, and beside all others together: what they carry at the "
            "same time, which splits of messages follow. A third of the budget goes there.")
      .rare();
  options.flag("--no-pairs", target.no_pairs, "with --peer: measure every rail alone only")
      .excludes("--pairs")
      .rare();
}

void declare_job(Options& options, SampleOptions& target) {
  options
      .text("--mpi", target.mpi, "MPI",
            "take part in a job of openmpi or mpich (that which launched it)\n"
            "mpirun nmad-sample measures all nodes of the job; rank 0 keeps what was measured. It "
            "needs the module of that MPI, which is built where the MPI is installed.")
      .rare();
  options
      .list("--parts", target.parts, "PART,...",
            "in a job: node, pairs, mpi, alltoall, collectives (all but the last)\n"
            "node: the rails within one node of each platform. pairs: all rails between nodes, two "
            "at a time. mpi: the MPI's own messages. alltoall: alltoalls for a contention "
            "signature, and how many connections at a time the network bears. collectives: "
            "broadcasts, reductions and allgathers by many algorithms and segments, and by the "
            "MPI's own, for libnmadtune-mpi.so. With --stack: messages or collectives (messages).")
      .rare();
  options
      .flag("--all-pairs", target.all_pairs,
            "in a job: each node with each other (a sample)\n"
            "Else each node with about log2(nodes) others.")
      .rare();
  options
      .list("--ranks", target.ranks, "N,...",
            "numbers of ranks of the alltoalls (half, all, and more)")
      .rare();
}

void declare_stack(Options& options, SampleOptions& target) {
  options.text(
      "--stack", target.stack, "STACK",
      "sample openmpi, mpich or ucx, launched by --launcher\n"
      "Launches jobs of that stack again and again, its protocols forced and its "
      "settings tried: nmad-tune export writes what is measurably better. --launcher is "
      "the command that launches a job, as 'mpirun --hostfile hosts -n 2' (two ranks on "
      "this node); two ranks on each of two hosts show shared memory and network at once.");
  options
      .count("--rounds", target.rounds,
             "with --stack: launches of each settings, 5 or more (7; of limits 11)")
      .rare();
  options
      .text("--turn", target.turn, "ORDER",
            "with --stack, in its job: what to time; nmad-sample gives it to its ranks itself")
      .rare();
}

}  // namespace

void declare(Options& options, SampleOptions& target) {  // in the order of the help
  declare_rails_and_profile(options, target);
  declare_measuring(options, target);
  declare_job(options, target);
  declare_stack(options, target);
  declare(options, target.peer,
          {.tool = "nmad-sample",
           .peer = "sample all rails between this node and HOST\n"
                   "Each interface with HOST's in the same subnet; where one has several there, "
                   "tcp:IF/PEERIF. The other end runs nmad-sample --serve, which prints the port "
                   "and the secret, or is started by --launcher. Both ends keep what was measured, "
                   "each as its own rails' way to the other.",
           .serve = "be the other end: print the command for HOST\n"
                    "Waits ten minutes for who knows the secret, serves one campaign, and keeps "
                    "what was measured. Options of the sampling are the other end's.",
           .not_with_peer = {"--list", "--resume"},
           .not_with_serve = {"--list", "--resume", "--rails"}});
  options.example("nmad-sample --rails shm,tcp:lo --budget 20s --verify");
}

Fields campaign_options(const SampleOptions& options, const std::vector<std::string>& rails) {
  const SamplingOptions& sampling = options.sampling;
  Fields fields = {
      {"budget_ns", fmt::format("{:.0f}", sampling.budget_ns)},
      {"max_size_bytes", std::to_string(sampling.size_bytes_max)},
      {"max_unexpected_bytes", std::to_string(sampling.max_unexpected_bytes)},
      {"pairs", sampling.pairs ? "yes" : "no"},
      {"precision", fmt::format("{}", sampling.precision)},
      {"rails", fmt::format("{}", fmt::join(rails, ","))},
      {"verify", sampling.verify ? "yes" : "no"},
  };
  if (options.seed) fields["seed"] = std::to_string(*options.seed);
  return fields;
}

}  // namespace nmt
