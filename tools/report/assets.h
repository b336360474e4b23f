// SPDX-License-Identifier: BSD-3-Clause
//
// The files of the report's page as they were when this was built, with the hashes by which a
// Content-Security-Policy names them.
#pragma once

#include <span>
#include <string_view>

namespace nmt::tools {

struct Asset {
  std::string_view name;  // of the file, without its folder
  std::string_view text;
  std::string_view hash;  // "sha256-" and base64
};

// In the order in which the page loads them.
std::span<const Asset> report_assets();

}  // namespace nmt::tools
