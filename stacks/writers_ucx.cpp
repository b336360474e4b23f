// SPDX-License-Identifier: BSD-3-Clause
//
// UCX: its file ucx.conf.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/version.h"
#include "stacks/readers.h"
#include "stacks/settings.h"
#include "stacks/writers.h"

namespace nmt::stacks {

namespace {

// Before 1.17 one threshold is for all transports, and "intra:" cannot be read.
bool is_expressible(const GroupVerdict& verdict, const std::string& version) {
  const bool keyed = std::ranges::any_of(verdict.settings, [](const auto& setting) {
    return setting.first.find(':') != std::string::npos;
  });
  return !keyed || !older(version, "1.17");
}

}  // namespace

std::vector<ExportedFile> write_ucx(const StackFindings& findings) {
  StackFindings written = findings;
  for (GroupVerdict& verdict : written.verdicts) {
    if (!verdict.kept || is_expressible(verdict, findings.version)) continue;
    verdict.kept = false;
    verdict.reason = fmt::format("UCX {} has one threshold for all transports", findings.version);
  }
  const Fields settings = as_spelled(kept_settings(written));
  if (settings.empty()) return {};
  std::string text = opening(
      findings, {"UCX reads ucx.conf in $UCX_CONFIG_DIR, in $HOME and in the folder of the job."});
  text += with_evidence(written, settings, "") + "\n" + left_out(written);
  NMT_CHECK(read_ucx_conf(text, "ucx.conf") == settings);
  return {{"ucx.conf", text}};
}

}  // namespace nmt::stacks
