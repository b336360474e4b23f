// SPDX-License-Identifier: BSD-3-Clause
#include "tests/tools/job_sandbox.h"

#include <utility>

namespace nmt::testing {

Result Job::sample(std::vector<std::string> options, const std::vector<std::string>& more) const {
  std::vector<std::string> command = {NMAD_SAMPLE, "--db", path("a.db")};
  command.insert(command.end(), more.begin(), more.end());
  return run(lab_->job(GetParam(), std::move(options), command));
}

}  // namespace nmt::testing
