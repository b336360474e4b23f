// SPDX-License-Identifier: BSD-3-Clause
//
// A profile opened through the library's C ABI; closed by its owner.
#pragma once

#include <memory>

#include "include/nmadtune.h"

namespace nmt::tools {

struct CloseProfile {
  void operator()(nmt_profile* profile) const { nmt_close(profile); }
};
using OpenedProfile = std::unique_ptr<nmt_profile, CloseProfile>;

}  // namespace nmt::tools
