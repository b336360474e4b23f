// SPDX-License-Identifier: BSD-3-Clause
//
// UCX: its file ucx.conf.
#include <fmt/format.h>

#include "core/error.h"
#include "stacks/readers.h"
#include "stacks/writers.h"

namespace nmt {

std::vector<ExportedFile> write_ucx(const StackFindings& findings) {
  const Fields settings = kept_settings(findings);
  if (settings.empty()) return {};
  std::string text = opening(
      findings, {"UCX reads ucx.conf in $UCX_CONFIG_DIR, in $HOME and in the folder of the job."});
  for (const GroupVerdict& verdict : findings.verdicts) {
    if (!verdict.kept) continue;
    for (const auto& [name, value] : verdict.settings) {
      text += fmt::format("{}\n{}={}\n", evidence(verdict), name, value);
    }
  }
  text += "\n" + left_out(findings);
  NMT_CHECK(read_ucx_conf(text, "ucx.conf") == settings);
  return {{"ucx.conf", text}};
}

}  // namespace nmt
