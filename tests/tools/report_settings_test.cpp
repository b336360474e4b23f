// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/report_settings.h"

#include <gtest/gtest.h>

namespace nmt::tools {
namespace {

TEST(SettingsTable, ShowsNoFiguresWhereNothingWasToCompare) {
  Report report;
  const stacks::GroupVerdict without_effect{.group = "tcp",
                                            .settings = {{"eager_limit", "4096"}},
                                            .rail = "openmpi/tcp",
                                            .reason = "no effect at any size that was measured"};
  add_verdicts(std::vector{without_effect}, &report);
  EXPECT_EQ(
      report.text.render({}),
      "group  settings          gain  95 % interval  most at  measured on  verdict\n"
      "tcp    eager_limit=4096     -  -                    -  openmpi/tcp  left out: no effect "
      "at any size that was measured\n");
}

}  // namespace
}  // namespace nmt::tools
