// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/report.h"

#include <algorithm>

namespace nmt::sampler {

std::string RailReport::name() const {
  return busy_rails.empty() ? rail : rail + " beside " + busy_rails;
}

bool RailReport::has_link_errors() const {
  constexpr double kRetransmitsMax = 0.01;  // of the repetitions
  return std::ranges::any_of(link_errors, [&](const auto& counted) {
    const auto& [counter, count] = counted;
    return counter != "tcp_retransmits" ||
           static_cast<double>(count) > kRetransmitsMax * static_cast<double>(repetitions);
  });
}

double RailReport::quality() const {
  if (repetitions == 0 || elapsed_ns <= 0) return 1;
  const double share_disturbed = static_cast<double>(disturbed) / static_cast<double>(repetitions);
  return (1 - share_disturbed) * (1 - waited_ns / elapsed_ns);
}

}  // namespace nmt::sampler
