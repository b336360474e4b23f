// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/tune_profile.h"

#include <vector>

#include "contention/contention.h"
#include "core/error.h"
#include "stacks/stacks.h"

namespace nmt::tools {

Plan tune(profiledb::ProfileDb& db, const Id& platform, const tuner::TuneOptions& options) {
  const std::vector<SampleSet> sets = db.sample_sets_in_force(platform);
  Plan plan = tuner::derive_plan(platform, sets, options);
  const Verification verification = tuner::verify(plan, sets);
  if (verification != Verification{}) plan.verification = verification;
  for (const contention::AlltoallTimes& times : contention::alltoall_times(sets)) {
    try {
      plan.signatures.push_back(contention::fit_signature(times, {}).signature);
    } catch (const Error&) {  // too few measurements; nmad-tune contention says what is missing
    }
  }
  plan.library_rules = stacks::library_rules(sets);
  db.store_plan(plan);
  return plan;
}

}  // namespace nmt::tools
