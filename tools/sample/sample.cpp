// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/sample.h"

#include <algorithm>

#include "core/error.h"
#include "tools/sample/campaign.h"
#include "tools/sample/confirm.h"
#include "tools/sample/job.h"
#include "tools/sample/list.h"
#include "tools/sample/peer.h"
#include "tools/stack/stack.h"

namespace nmt::tools {
namespace {

Report sample_this_node(const SampleOptions& options, const Invocation& invocation) {
  const std::uint64_t seed = options.seed ? *options.seed : random_seed();
  const RailChoice choice = choose_rails(options.rails, seed);
  if (options.list) return list_rails(choice);
  if (choice.rails.empty()) {
    Report report = list_rails(choice);
    report.text = {};
    return report;
  }
  const profiledb::Location profile = profiledb::locate_for_writing(options.db, options.system);
  ProgressLine line(invocation.quiet);
  profiledb::ProfileDb db = open_for_writing(profile, invocation, line);
  const Interruption interruption;
  return sample_rails(choice, seed, {options, invocation, profile, db, line, interruption});
}

// This command is also the program of the launched ranks.
Report sample_other_stack(const SampleOptions& options, const Invocation& invocation) {
  if (options.rank_order.empty()) return sample_stack(options, invocation);
  const std::string mpi = mpi_of(options);
  if (mpi.empty()) {
    throw Error(Fault::kUsage, "--turn: no MPI launched this process; leave the option out");
  }
  return run_launched_rank(options, mpi);
}

}  // namespace

Report sample(const SampleOptions& typed, const Invocation& invocation) {
  if (!typed.stack.empty()) return sample_other_stack(typed, invocation);
  check(typed.peer);
  if (typed.confirm) return confirm(typed, invocation);
  if (!typed.prometheus.empty()) throw Error(Fault::kUsage, "--prometheus needs --confirm");
  SampleOptions options = typed;
  if (typed.budget_ns > 0) options.sampling.budget_ns = typed.budget_ns;
  options.sampling.pairs = options.peer.peer.empty() ? options.pairs : !options.no_pairs;
  const std::string mpi = mpi_of(options);
  if (!mpi.empty()) return sample_in_job(options, invocation, mpi);
  if (options.peer.serve) return serve(options, invocation);
  if (!options.peer.peer.empty()) return sample_with_peer(options, invocation);
  return sample_this_node(options, invocation);
}

}  // namespace nmt::tools
