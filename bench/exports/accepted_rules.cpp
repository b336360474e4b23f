// SPDX-License-Identifier: BSD-3-Clause
//
// Whether the Open MPI that is installed takes a rules file of ours, and our reader refuses a
// broken one with the line. Debian's build says nothing of rules, however verbose, so that only the
// effect tells: a rule that cuts a broadcast into segments of 64 bytes cannot be overlooked.
#include <fmt/format.h>

#include <fstream>

#include "bench/exports/groups.h"
#include "bench/exports/launched.h"
#include "bench/row.h"
#include "bench/stage.h"
#include "core/error.h"
#include "stacks/stacks.h"

namespace nmt::bench {

void accepted_rules() {
  constexpr double kFactor = 4;
  const Stage stage("rails 1000");
  const stacks::TunedRules rules = {{"bcast", {{1, {{0, 0, 0, 0}}}, {2, {{0, 3, 0, 64}}}}}};
  const std::string file = stage.folder() / "rules.conf";
  const std::string settings = fmt::format(
      "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename={}",
      file);
  const std::string launcher = stage.launcher("openmpi", "");
  const double before_ns = collective_ns("bcast", "openmpi", "", launcher);
  std::ofstream(file) << stacks::write_tuned_rules(rules, "# by a benchmark\n");
  const double after_ns = collective_ns("bcast", "openmpi", settings, launcher);
  print_row("exports", "rules file taken by Open MPI: effect of a rule", after_ns / before_ns,
            "times", Goal::kAtLeast, kFactor);
  std::string refusal;
  try {
    stacks::read_tuned_rules("1\n7\n1\n2\n1\n64 6 0 0\n", "rules.conf", "4.1.4");
  } catch (const Error& error) {
    refusal = error.what();
  }
  print_row("exports", "broken rules file refused with its line",
            refusal.find("rules.conf: line 6") != std::string::npos ? 1 : 0, "", Goal::kAtLeast, 1);
}

}  // namespace nmt::bench
