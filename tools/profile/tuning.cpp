// SPDX-License-Identifier: BSD-3-Clause
#include "tools/profile/tuning.h"

#include <vector>

namespace nmt {

Plan tune(ProfileDb& db, const Id& platform, const TuneOptions& options) {
  const std::vector<SampleSet> sets = db.sample_sets_in_force(platform);
  Plan plan = derive_plan(platform, sets, options);
  const Verification verification = verify(plan, sets);
  if (verification != Verification{}) plan.verification = verification;
  db.store_plan(plan);
  return plan;
}

}  // namespace nmt
