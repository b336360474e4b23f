// SPDX-License-Identifier: BSD-3-Clause
//
// Whether an Open MPI that is installed here takes a file of settings as it was meant: its own
// ompi_info is shown the file where it looks for a user's, and asked for each value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"

namespace nmt {

struct LoadedSettings {
  bool installed = false;
  std::vector<std::string> taken;     // shown with the value that was written
  std::vector<std::string> unlisted;  // ompi_info does not know them: per-interface ones
  std::vector<std::string> refused;   // shown with another value
};

LoadedSettings ask_ompi_info(std::string_view mca_params, const Fields& settings);

}  // namespace nmt
