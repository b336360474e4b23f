// SPDX-License-Identifier: BSD-3-Clause
#include "core/site_switch.h"

#include <sys/stat.h>

namespace nmt {

bool is_switched_off(const std::string& root) {
  struct stat status {};
  return ::lstat((root + kSiteFolder + "/" + kSwitchFile).c_str(), &status) == 0;
}

}  // namespace nmt
