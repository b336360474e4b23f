// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/job.h"

#include <fmt/format.h>

#include <charconv>
#include <exception>
#include <fstream>
#include <set>

#include "core/error.h"
#include "node/node.h"
#include "sampler/alltoall.h"
#include "tools/sample/campaign.h"

namespace nmt {
namespace {

using control::MpiJob;

// Cores of all ranks together. Those of one kernel are counted once, however many nodes it plays.
std::size_t cores_of(const MpiJob& job) {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string kernel, own;
  std::getline(file, kernel);
  for (const int core : allowed_cores())
    own += fmt::format("{}{}/{}", own.empty() ? "" : ",", kernel, core);
  std::set<std::string> cores;
  for (const std::string& of_rank : job.gather(own)) {
    for (const std::string& core : split_list(of_rank)) cores.insert(core);
  }
  return cores.size();
}

AlltoallOptions alltoall_options(const SampleOptions& options) {
  AlltoallOptions alltoall{.budget_ns = options.sampling.budget_ns};
  for (const std::string& text : split_list(options.ranks)) {
    int ranks = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ranks);
    if (error != std::errc() || end != text.data() + text.size()) {
      throw Error(Fault::kUsage, fmt::format("--ranks: {} is no number of ranks; as 4,8", text));
    }
    alltoall.ranks.push_back(ranks);
  }
  return alltoall;
}

// What only rank 0 has to do first may fail; the others hear whether to go on.
Report lead(const MpiJob& job, const SampleOptions& options, const Invocation& invocation,
            const std::string& mpi) {
  const std::size_t cores = cores_of(job);
  const Location profile = locate_for_writing(options.db, options.system);
  ProgressLine line(invocation.quiet);
  std::optional<ProfileDb> db;
  try {
    db.emplace(open_for_writing(profile, invocation, line));
  } catch (const Error&) {
    std::string no = "no";
    job.broadcast(no);
    throw;
  }
  std::string go = "go";
  job.broadcast(go);
  const Interruption interruption;
  RailChoice choice;
  choice.rails.push_back({.rail = mpi_rail(mpi)});
  AlltoallOptions alltoall = alltoall_options(options);
  alltoall.seed = options.seed ? *options.seed : random_seed();
  const RealClock clock;
  return run_share(
      *db,
      {.options = options,
       .invocation = invocation,
       .choice = choice,
       .profile = profile,
       .more = {{"cores", std::to_string(cores)}, {"part", "alltoall"}},
       .session = {.clock = clock.name(),
                   .clock_cost_ns = clock.cost_ns(),
                   .clock_resolution_ns = clock.resolution_ns(),
                   .seed = alltoall.seed},
       .measure = [&](const SamplingOptions&, const SamplesByRail&,
                      Observer& observer) { return run_alltoall(job, mpi, alltoall, &observer); }},
      line, interruption);
}

Report follow(const MpiJob& job, const SampleOptions& options, const std::string& mpi) {
  cores_of(job);
  Report silent;
  silent.silent = true;
  std::string word;
  job.broadcast(word);
  if (word != "go") return silent;
  try {
    run_alltoall(job, mpi, alltoall_options(options), nullptr);
  } catch (const Error&) {
    // Rank 0 has the same to say.
  }
  return silent;
}

}  // namespace

std::string mpi_of(const SampleOptions& options) {
  return !options.mpi.empty() ? options.mpi : control::launching_mpi().value_or("");
}

// An error leaves the job as its end does: all ranks have heard of it.
Report sample_in_job(const SampleOptions& options, const Invocation& invocation,
                     const std::string& mpi) {
  std::exception_ptr failure;
  Report report;
  {
    const MpiJob job(mpi);
    try {
      report = job.leads() ? lead(job, options, invocation, mpi) : follow(job, options, mpi);
    } catch (const Error&) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  return report;
}

}  // namespace nmt
