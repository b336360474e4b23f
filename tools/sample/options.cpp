// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nmt::tools {
namespace {

// Limits of what is sensible: below, a measurement shows nothing; above, the unit is probably
// wrong.
constexpr NumberLimits kBudgetNs = {.low = 0.1e9, .high = 24 * 3600e9};
constexpr NumberLimits kTolerance = {.low = 0.01, .high = 10};
constexpr NumberLimits kPrecision = {.low = 0.001, .high = 0.5};
constexpr ByteLimits kSizeBytes = {.low = 1024, .high = std::uint64_t{64} << 20};
constexpr ByteLimits kUnexpectedBytes = {.low = 64, .high = std::uint64_t{64} << 20};

void declare_rails_and_profile(Options& options, SampleOptions& target) {
  options.flag("--list", target.list,
               "list the rails, and why others cannot be used\n"
               "Measures nothing. With --rails, lists only the rails named.");
  options.list(
      "--rails", target.rails, "RAIL,...",
      "rails: shm, tcp:lo, fake:FILE (default: all usable)\n"
      "The name of a driver stands for all its usable rails. fake:FILE stands for all rails "
      "that FILE describes; they are measured in virtual time, without hardware.");
  options.text("--db", target.db, "FILE",
               "profile to write (default: the user's)\n"
               "Without it: $NMADTUNE_DB, else the user's profile.");
  options
      .flag("--system", target.system,
            "write the system's profile, not the user's\n"
            "It is /var/lib/nmadtune/profile.db.")
      .excludes("--db");
}

void declare_measuring(Options& options, SampleOptions& target) {
  sampler::SamplingOptions& sampling = target.sampling;
  options.duration_ns(
      "--budget", target.budget_ns, kBudgetNs,
      "time for all rails and verification (default: 60s)\n"
      "With --stack --parts collectives: time for each of five collectives (default: all of "
      "them take 13 minutes).");
  options.fraction("--precision", sampling.precision, kPrecision,
                   "target half-width of the 95 % interval (default: 2%)\n"
                   "It is that of the median of each cell.");
  options.bytes("--max-size", sampling.size_bytes_max, kSizeBytes,
                "largest message, at most 64M (default: 16M)");
  options
      .bytes("--max-unexpected", sampling.max_unexpected_bytes, kUnexpectedBytes,
             "largest message that may arrive unexpected (default: 64K)\n"
             "A rendezvous threshold is never above it: the sender of a larger message asks first.")
      .rare();
  options
      .count("--seed", target.seed,
             "seed of the shuffling and of the held-out sizes (default: random)\n"
             "The campaign records it. Described rails also draw their noise from it.")
      .rare();
  options.flag(
      "--resume", target.resume,
      "continue an incomplete campaign with these options\n"
      "Continues the newest incomplete campaign of this platform that had the same options: "
      "measures what is missing, in the rest of its budget. Starts a new campaign if there is "
      "none.");
  options.flag(
      "--verify", sampling.verify,
      "also measure held-out sizes; report errors and regret\n"
      "Measures at least 40 sizes that no prediction was derived from. Reports the error of "
      "each prediction, and the regret of each decision: how much slower it is than the best "
      "method measured there.");
  options
      .flag(
          "--pairs", target.pairs,
          "also measure rails while others are busy (default: with --peer)\n"
          "Measures each rail together with each other rail, and with all others: the bandwidth "
          "that they reach at the same time. Splits of messages follow it. It takes a third of the "
          "budget.")
      .rare();
  options.flag("--no-pairs", target.no_pairs, "with --peer: measure each rail only alone")
      .excludes("--pairs")
      .rare();
}

void declare_confirming(Options& options, SampleOptions& target) {
  options
      .flag(
          "--confirm", target.confirm,
          "check in 2 s whether the profile is still true here\n"
          "Measures the latency and bandwidth of each rail, and both sides of its thresholds, "
          "and compares them with the profile, which stays as it is. Exit code 8: slower. With "
          "--peer: the rails to HOST. If root or the profile's owner runs it, it writes the result "
          "beside the profile; advice under another patch release follows that result.")
      .excludes("--list");
  options
      .fraction("--tolerance", target.tolerance, kTolerance,
                "with --confirm: largest difference that is no change (default: 5%)")
      .rare();
  options
      .text("--prometheus", target.prometheus, "FILE",
            "with --confirm: also write FILE for node_exporter\n"
            "In the textfile collector's format; FILE is replaced in one step.")
      .rare();
}

void declare_job(Options& options, SampleOptions& target) {
  options
      .text("--mpi", target.mpi, "MPI",
            "the MPI of the job: openmpi or mpich (default: detected)\n"
            "mpirun nmad-sample measures all nodes of the job; rank 0 stores the results. It needs "
            "the module of that MPI, which is built where the MPI is installed.")
      .rare();
  options
      .list("--parts", target.parts, "PART,...",
            "in a job: node, pairs, mpi, alltoall, collectives (default: all but the last)\n"
            "node: the rails within one node of each platform. pairs: all rails between two nodes. "
            "mpi: the MPI's own messages. alltoall: alltoalls for a contention signature, which "
            "nodes share a switch, and how many simultaneous connections saturate the network. "
            "collectives: broadcasts, reductions, gathers, scatters, alltoalls and barriers, by "
            "the algorithms and segments of libnmadtune-mpi.so and by those of the MPI. With "
            "--stack: messages, protocols or collectives (default: messages).")
      .rare();
  options
      .flag("--all-pairs", target.all_pairs,
            "in a job: measure all pairs of nodes, not a sample\n"
            "Without it, each node is measured with as many others as can tell a slow node from "
            "chance: up to nine, or log2(nodes).")
      .rare();
  options
      .list("--pairs-of", target.pairs_of, "HOST,...",
            "in a job: measure only pairs with these nodes\n"
            "Each of them with every other node of the job, as nmad-tune outliers asks for where "
            "it suspects one.")
      .excludes("--all-pairs")
      .rare();
  options
      .list(
          "--ranks-per-nic", target.ranks_per_nic, "N,...",
          "in a job: ranks of a node that measure a rail at once (default: 1, all, and between)\n"
          "Between two nodes, as far as both have so many ranks and the budget has time: first one "
          "rank, in half of the time, then all, then 2, 4, 8 ... ranks, the most first. "
          "nmad-tune answers for a number with its --ranks-per-nic.")
      .rare();
  options
      .list("--ranks", target.ranks, "N,...",
            "in a job: ranks in each alltoall (default: half, 3/4, all, and more)")
      .rare();
  options
      .sizes("--sizes", target.alltoall_sizes_bytes,
             "in a job: bytes to each rank in alltoalls (default: 256 to 512K, and more)\n"
             "The paper's M is searched among sizes with three smaller and three larger ones.")
      .rare();
  options
      .list("--shapes", target.shapes, "NxM,...",
            "in a job: shapes for collectives: own, or 2x4,4x1 (default: all)\n"
            "Nodes x ranks on each, within the job; own is the job itself. all: all nodes, half of "
            "them, two and one, each with all ranks per node, half of them and one (on one node a "
            "quarter of them, at least 2). They share the budget, the least known first; rules for "
            "other shapes are predicted from them.")
      .rare();
  options
      .list("--operations", target.operations, "NAME,...",
            "in a job: collectives to sample: bcast,allreduce (default: all)\n"
            "Rules for the others stay what they are.")
      .rare();
}

void declare_stack(Options& options, SampleOptions& target) {
  options.text(
      "--stack", target.stack, "STACK",
      "sample jobs of openmpi, mpich, ucx or libfabric\n"
      "Launches many jobs of that stack; forces its protocols and tries its settings. "
      "nmad-tune export then writes the settings that are measurably better. --launcher is the "
      "command that launches a job, as 'mpirun --hostfile hosts -n 2' (two ranks on this "
      "node). Two ranks on each of two hosts measure shared memory and network in one campaign.");
  options
      .count(
          "--rounds", target.rounds,
          "with --stack: launches of each setting, at least 5 (default: 7; protocols, limits: 11)")
      .rare();
  options
      .text("--turn", target.rank_order, "ORDER",
            "internal: nmad-sample --stack passes it to the ranks that it launches")
      .rare();
}

}  // namespace

void declare(Options& options, SampleOptions& target) {  // in the order of the help
  declare_rails_and_profile(options, target);
  declare_measuring(options, target);
  declare_confirming(options, target);
  declare_job(options, target);
  declare_stack(options, target);
  declare(
      options, target.peer,
      {.tool = "nmad-sample",
       .peer =
           "sample all rails between this node and HOST\n"
           "Pairs each interface with those of HOST in the same subnet; if there are several, the "
           "rail is called tcp:IF/PEERIF. On HOST, nmad-sample --serve prints the port and the "
           "secret; or --launcher starts it there. Both nodes store the results, each under its "
           "own "
           "rails.",
       .serve =
           "wait for a peer; print the command to run there\n"
           "Waits up to 10 min for a peer that knows the secret, serves one campaign, and stores "
           "the results. The peer chooses the options of the campaign.",
       .not_with_peer = {"--list", "--resume"},
       .not_with_serve = {"--list", "--resume", "--rails"}});
  options.example("nmad-sample --rails shm,tcp:lo --budget 20s --verify");
}

Fields campaign_options(const SampleOptions& options, const std::vector<std::string>& rails) {
  const sampler::SamplingOptions& sampling = options.sampling;
  Fields fields = {
      {"budget_ns", fmt::format("{:.0f}", sampling.budget_ns)},
      {"max_size_bytes", std::to_string(sampling.size_bytes_max)},
      {"max_unexpected_bytes", std::to_string(sampling.max_unexpected_bytes)},
      {"pairs", sampling.pairs ? "yes" : "no"},
      {"precision", fmt::format("{}", sampling.precision)},
      {"rails", fmt::format("{}", fmt::join(rails, ","))},
      {"verify", sampling.verify ? "yes" : "no"},
  };
  if (!options.round.empty()) fields["round"] = options.round;
  if (sampling.landmarks == sampler::Landmarks::kOnly) fields[kLandmarksOption] = kLandmarksOnly;
  if (sampling.ranks_per_node > 1) {
    fields["ranks_per_nic"] = std::to_string(sampling.ranks_per_node);
  }
  if (options.seed) fields["seed"] = std::to_string(*options.seed);
  return fields;
}

}  // namespace nmt::tools
