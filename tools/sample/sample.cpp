// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/sample.h"

#include <algorithm>

#include "core/error.h"
#include "tools/sample/campaign.h"
#include "tools/sample/job.h"
#include "tools/sample/list.h"
#include "tools/sample/peer.h"

namespace nmt {
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
  SampleOptions with_cores = options;
  with_cores.sampling.offload = std::ranges::any_of(choice.rails, [](const RailToSample& each) {
    return each.driver->virtual_clock() == nullptr;
  });
  const Location profile = locate_for_writing(options.db, options.system);
  ProgressLine line(invocation.quiet);
  ProfileDb db = open_for_writing(profile, invocation, line);
  const Interruption interruption;
  return run_share(
      db,
      {.options = with_cores,
       .invocation = invocation,
       .choice = choice,
       .profile = profile,
       .session = describe_session(choice, seed),
       .measure =
           [&](const SamplingOptions& sampling, const SamplesByRail& earlier, Observer& observer) {
             return run_campaign(choice.rails, sampling, earlier, observer);
           }},
      line, interruption);
}

}  // namespace

Report sample(const SampleOptions& typed, const Invocation& invocation) {
  check(typed.peer);
  SampleOptions options = typed;
  options.sampling.pairs = options.peer.peer.empty() ? options.pairs : !options.no_pairs;
  const std::string mpi = mpi_of(options);
  if (!mpi.empty()) return sample_in_job(options, invocation, mpi);
  if (options.peer.serve) return serve(options, invocation);
  if (!options.peer.peer.empty()) return sample_with_peer(options, invocation);
  return sample_this_node(options, invocation);
}

}  // namespace nmt
