// SPDX-License-Identifier: BSD-3-Clause
//
// Open MPI over two unequal rails: sampled as a user does, and what would be exported against
// the defaults by nmad-tune ab. The sum of the rails is what they carry alone.
#include <fmt/format.h>

#include <algorithm>

#include "bench/exports/compared.h"
#include "bench/exports/groups.h"
#include "bench/row.h"
#include "bench/stage.h"

namespace nmt::bench {
namespace {

constexpr double kSampledWithinS = 300;
constexpr double kSumMin = 97;  // percent

}  // namespace

void weighted_rails(unsigned first, unsigned second, double goal) {
  const Stage stage(fmt::format("rails {} {}", first, second));
  const std::string name = fmt::format("{}+{} Mbit/s", first, second);
  const std::string launcher = stage.launcher("openmpi", "--per-host 2");
  double elapsed_s = 0;
  stage.sample(fmt::format("--stack openmpi --launcher '{}'", launcher), &elapsed_s);
  print_row("exports", name + ": sampling the stack", elapsed_s, "s", Goal::kAtMost,
            kSampledWithinS);
  stage.tune(fmt::format("export openmpi -o {}/mca-params.conf", stage.folder().string()));
  const json::Value ab = stage.tune(fmt::format("ab openmpi --launcher '{}'", launcher));
  // What TCP can carry: frames of 8000 bytes spend 52 on headers and 14 on Ethernet's.
  constexpr double kPayload = 7948.0 / 8014;
  const double sum_mbits = kPayload * (first + second);
  const std::vector<Compared> cells = compared_in(ab);
  for (const unsigned mebibytes : {1u, 16u}) {
    const std::string size = fmt::format("{}, {} MiB: ", name, mebibytes);
    const std::string times = size + "times as fast as the default";
    const std::string share = size + "of the rails' sum";
    const std::uint64_t bytes = std::uint64_t{mebibytes} << 20;
    const auto cell = std::ranges::find_if(cells, [&](const Compared& each) {
      return each.rail == "openmpi/tcp" && each.size_bytes == bytes;
    });
    if (cell == cells.end()) {
      constexpr const char* kReason = "no setting was exported for it";
      print_missed("exports", times, "times", Goal::kAtLeast, goal, kReason);
      print_missed("exports", share, "%", Goal::kAtLeast, kSumMin, kReason);
      continue;
    }
    const double mbits = 8e3 * static_cast<double>(bytes) / cell->tuned_ns;
    print(row_of("exports", times, cell->ratio)
              .set("goal", goal_text(Goal::kAtLeast, goal, "times"))
              .set("holds", cell->ratio.value >= goal));
    print_row("exports", share, 100 * mbits / sum_mbits, "%", Goal::kAtLeast, kSumMin);
  }
}

}  // namespace nmt::bench
