// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/report.h"

#include <algorithm>

namespace nmt::sampler {

std::string RailReport::name() const {
  return busy_rails.empty() ? rail : rail + " beside " + busy_rails;
}

double RailReport::quality() const {
  if (repetitions == 0 || elapsed_ns <= 0) return 1;
  const double share_disturbed = static_cast<double>(disturbed) / static_cast<double>(repetitions);
  return (1 - share_disturbed) * (1 - waited_ns / elapsed_ns);
}

}  // namespace nmt::sampler
