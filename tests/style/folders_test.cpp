// SPDX-License-Identifier: BSD-3-Clause
#include "tests/style/folders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

namespace nmt::style {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kTable[] = "one file for each row of a table, which declares them";
constexpr char kAbi[] = "functions of a C ABI, which its header declares";
constexpr char kMain[] = "main() of a command";

const std::vector<Elsewhere> kExceptions = {
    {"tools/tune/", "tools/tune/subcommands.h", kTable},
    {"engine/strategies/", "engine/strategy.h", kTable},
    {"collectives/mpi/algorithms/", "collectives/mpi/algorithms/algorithms.h", kTable},
    {"collectives/mpi/mpi_entries.cpp", "", "the MPI's C functions, which mpi.h declares"},
    {"collectives/mpi/open_mpi_fortran.cpp", "", "the MPI's Fortran functions"},
    {"collectives/mpi/open_mpi_fortran_others.cpp", "", "the MPI's Fortran functions"},
    {"collectives/mpi/other_entries.cpp", "", "the MPI's C functions, which mpi.h declares"},
    {"collectives/mpi/run_collective.cpp", "collectives/collectives.h", kAbi},
    {"control/mpi/module.c", "control/mpi/table.h", "a module that is loaded, built for each MPI"},
    {"core/fmt.cpp", "", "{fmt}, compiled once for all"},
    {"engine/c_api.cpp", "include/nmadtune_engine.h", kAbi},
    {"runtime/current.cpp", "include/nmadtune.h", kAbi},
    {"runtime/decide.cpp", "include/nmadtune.h", kAbi},
    {"runtime/decide_collective.cpp", "include/nmadtune.h", kAbi},
    {"runtime/decide_split.cpp", "include/nmadtune.h", kAbi},
    {"runtime/describe.cpp", "include/nmadtune.h", kAbi},
    {"runtime/open.cpp", "include/nmadtune.h", kAbi},
    {"runtime/rails.cpp", "include/nmadtune.h", kAbi},
    {"tools/bench/nmad_bench.cpp", "", kMain},
    {"tools/sample/nmad_sample.cpp", "", kMain},
};

const std::vector<Face> kFaces = {
    {"collectives/mpi", "collectives/mpi/interposed.h"},
    {"collectives/mpi/communicator", "collectives/mpi/communicator/comm_state.h"},
    {"collectives/mpi/hierarchy", "collectives/mpi/hierarchy/node_hierarchy.h"},
    {"collectives/mpi/library", "collectives/mpi/library/library_algorithms.h"},
    {"collectives/mpi/report", "collectives/mpi/report/call_recorder.h"},
    {"control/mpi", "control/mpi/table.h"},
    {"drivers/fake", "drivers/fake/driver.h"},
    {"drivers/shm", "drivers/shm/driver.h"},
    {"drivers/tcp", "drivers/tcp/driver.h"},
    {"drivers/verbs", "drivers/verbs/driver.h"},
    {"engine/strategies", "engine/strategy.h"},
    {"tools/tune", "tools/tune/subcommands.h"},
};

TEST(Sources, HaveAHeaderOfTheirNameOrArePartOfOne) {
  const std::vector<SourceFile> files = {
      {"core/json.h", ""},     {"core/json.cpp", ""},    {"core/json_value.cpp", ""},
      {"core/values.cpp", ""}, {"core/jsonish.cpp", ""}, {"tests/core/json_test.cpp", ""}};
  EXPECT_THAT(sources_without_header(files, {}),
              ElementsAre("core/values.cpp has no header of its name",
                          "core/jsonish.cpp has no header of its name"));
}

TEST(Sources, MayBeDeclaredElsewhereForAReasonThatIsNeeded) {
  const std::vector<SourceFile> files = {
      {"node/a.h", ""}, {"node/a.cpp", ""}, {"node/b.cpp", ""}, {"node/rows/c.cpp", ""}};
  const std::vector<Elsewhere> exceptions = {{"node/b.cpp", "node/a.h", kAbi},
                                             {"node/rows/", "node/a.h", kTable}};
  EXPECT_THAT(sources_without_header(files, exceptions), IsEmpty());
  const std::vector<Elsewhere> others = {{"node/a.cpp", "node/gone.h", kAbi},
                                         {"node/b.cpp", "node/a.h", kAbi},
                                         {"node/rows/", "node/a.h", kTable}};
  EXPECT_THAT(sources_without_header(files, others),
              ElementsAre("node/a.cpp needs no exception", "node/gone.h does not exist"));
}

TEST(Maps, NameEachFileOfAFolderAndNoOther) {
  const std::vector<SourceFile> files = {
      {"node/node.h",
       "// Licence\n//\n// Face of the node.\n//   cores   which there are\n"
       "//           and how near\n//   gone    nothing\n//   deep/   more\n#pragma once\n"
       "//   helper   too late\n"},
      {"node/cores.h", ""},
      {"node/cores_linux.cpp", ""},
      {"node/helper.cpp", ""},
      {"node/deep/deep.h", "// Face.\n"}};
  EXPECT_THAT(map_problems(files, {}),
              ElementsAre("node/node.h has no row for helper",
                          "node/node.h has a row for gone, which does not exist"));
}

TEST(Maps, StandInAFaceThatExists) {
  const std::vector<SourceFile> files = {{"node/cores.h", "// Face.\n//   helper   one\n"},
                                         {"node/helper.cpp", ""}};
  EXPECT_THAT(map_problems(files, {}), ElementsAre("node has no face node/node.h"));
  const std::vector<Face> faces = {{"node", "node/cores.h"}};
  EXPECT_THAT(map_problems(files, faces), IsEmpty());
}

TEST(Namespaces, AreThoseOfTheFolder) {
  const std::vector<SourceFile> files = {{"core/a.h", "namespace nmt {\n"},
                                         {"core/b.h", "namespace nmt::json {\n"},
                                         {"node/a.h", "namespace nmt::node {\n"},
                                         {"node/deep/b.h", "namespace nmt::node::deep {\n"},
                                         {"node/c.h", "namespace nmt {\n"},
                                         {"node/d.h", "\nnamespace nmt::nodes {\n"},
                                         {"tests/node/a.cpp", "namespace nmt::testing {\n"}};
  EXPECT_THAT(namespace_violations(files), ElementsAre("node/c.h: nmt is not nmt::node",
                                                       "node/d.h: nmt::nodes is not nmt::node"));
}

TEST(Layout, HoldsInThisProject) {
  const std::vector<SourceFile> files = read_tree(NMADTUNE_SOURCE_DIR);
  std::vector<std::string> found = sources_without_header(files, kExceptions);
  std::ranges::move(map_problems(files, kFaces), std::back_inserter(found));
  std::ranges::move(namespace_violations(files), std::back_inserter(found));
  EXPECT_TRUE(found.empty()) << fmt::format("{}", fmt::join(found, "\n"));
}

}  // namespace
}  // namespace nmt::style
