// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/oversubscription.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "core/units.h"
#include "node/node.h"

namespace nmt::tools {

std::size_t cores_of(const control::MpiJob& job) {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string kernel;
  std::getline(file, kernel);
  std::set<std::pair<std::string, std::string>> cores;  // of each kernel
  const std::string own = fmt::format("{}/{}", kernel, fmt::join(node::allowed_cores(), ","));
  for (const std::string& of_rank : job.gather(own)) {
    const std::size_t slash = of_rank.find('/');
    for (const std::string& core : split_list(of_rank.substr(slash + 1))) {
      cores.emplace(of_rank.substr(0, slash), core);
    }
  }
  return cores.size();
}

void warn_of_oversubscription(std::int64_t ranks, std::size_t cores, Report* report) {
  if (cores == 0 || ranks <= static_cast<std::int64_t>(cores)) return;
  report->warnings.push_back(
      fmt::format("{} ranks on {} core{}: small messages measure the scheduler, not the network; "
                  "sample with no more ranks than cores",
                  ranks, cores, cores == 1 ? "" : "s"));
}

}  // namespace nmt::tools
