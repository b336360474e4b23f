// SPDX-License-Identifier: BSD-3-Clause
//
// libfabric: settings in the environment, the only place where it looks for them.
#include "core/error.h"
#include "stacks/readers.h"
#include "stacks/settings.h"
#include "stacks/writers.h"

namespace nmt::stacks {

std::vector<ExportedFile> write_libfabric(const StackFindings& findings) {
  const Fields settings = kept_settings(findings);
  if (settings.empty()) return {};
  std::string text =
      opening(findings, {"For jobs over the provider tcp;ofi_rxm. Load it where jobs are launched:",
                         ". ./libfabric.env; Open MPI's mpirun passes on what -x names."});
  text += with_evidence(findings, settings, "export ") + "\n" + left_out(findings);
  NMT_CHECK(read_environment(text, "libfabric.env") == settings);
  return {{"libfabric.env", text}};
}

}  // namespace nmt::stacks
