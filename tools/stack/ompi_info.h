// SPDX-License-Identifier: BSD-3-Clause
//
// Whether an installed Open MPI reads a settings file as intended: its own ompi_info gets the file
// as a user's file, and is asked for each value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"

namespace nmt::tools {

struct LoadedSettings {
  bool installed = false;
  std::vector<std::string> taken;     // reported with the written value
  std::vector<std::string> unlisted;  // unknown to ompi_info: settings per interface
  std::vector<std::string> refused;   // reported with another value
};

LoadedSettings ask_ompi_info(std::string_view mca_params, const Fields& settings);

}  // namespace nmt::tools
