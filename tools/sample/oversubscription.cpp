// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sample/oversubscription.h"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <string>

#include "core/units.h"
#include "node/node.h"

namespace nmt::tools {

std::size_t cores_of(const control::MpiJob& job) {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string kernel, own;
  std::getline(file, kernel);
  for (const int core : node::allowed_cores()) {
    own += fmt::format("{}{}/{}", own.empty() ? "" : ",", kernel, core);
  }
  std::set<std::string> cores;
  for (const std::string& of_rank : job.gather(own)) {
    for (const std::string& core : split_list(of_rank)) cores.insert(core);
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
