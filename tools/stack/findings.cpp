// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/findings.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include "core/error.h"
#include "tools/stack/notebook.h"

namespace nmt {

StackFindings find_settings(const ProfileDb& db, const Id& platform, const Plan* plan,
                            const FindingsFor& what) {
  export_version(what.stack, what.version, "");
  StackFindings findings{.stack = what.stack, .plan = plan, .folder = what.folder};
  findings.origin = fmt::format("Written by nmad-tune {} export {} from {}", NMT_VERSION,
                                what.stack, what.profile);
  utsname names{};
  if (::uname(&names) == 0) findings.machine = names.machine;
  std::string measured;
  if (plan == nullptr) {
    const std::vector<StackSamples> samples = read_stack_samples(db, platform, what.stack);
    if (samples.empty()) {
      throw Error(Fault::kDatabase,
                  fmt::format("{}: nothing is measured of {} yet; nmad-sample --stack {} --db {} "
                              "measures it",
                              what.profile, what.stack, what.stack, what.profile));
    }
    findings.verdicts = judge_groups(samples);
    RuleChoice choice = choose_rules(samples);
    findings.rules = std::move(choice.rules);
    findings.notes = std::move(choice.notes);
    measured = version_in(samples.front().mpi);
  }
  findings.version = export_version(what.stack, what.version, measured);
  return findings;
}

}  // namespace nmt
