// SPDX-License-Identifier: BSD-3-Clause
#include "tests/style/references.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace nmt::style {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> violations(const std::string& path, const std::string& text) {
  return reference_violations(std::vector<SourceFile>{
      {path, text}, {"docs/guide/cluster.md", ""}, {"node/cores.h", "#include <hw.h>\n"}});
}

TEST(References, NameFilesThatThereAre) {
  EXPECT_THAT(violations("node/a.cpp", "int i;  // models.md 3\n"),
              ElementsAre("node/a.cpp:1: there is no models.md"));
  EXPECT_THAT(violations("node/a.cpp", "\n/* as in\n node/cores.cpp, say */\n"),
              ElementsAre("node/a.cpp:3: there is no node/cores.cpp"));
  EXPECT_THAT(violations("README.md", "See [the guide](docs/guide/programs.md).\n"),
              ElementsAre("README.md:1: there is no docs/guide/programs.md"));
  EXPECT_THAT(violations("docs/man/x.3.in", "docs/wiki has it\n"),
              ElementsAre("docs/man/x.3.in:1: there is no docs/wiki"));
  EXPECT_THAT(violations("node/CMakeLists.txt", "# node/old.h\nset(x node/old.h)\n"),
              ElementsAre("node/CMakeLists.txt:1: there is no node/old.h"));
}

TEST(References, AreWrittenFromTheRootFromDocsOrFromTheirFolder) {
  EXPECT_THAT(
      violations("node/a.cpp", "// node/cores.h, cores.h, node/cores, node/, docs/guide.\n"),
      IsEmpty());
  EXPECT_THAT(violations("docs/a.md", "[guide/cluster.md](guide/cluster.md#use)\n"), IsEmpty());
  EXPECT_THAT(violations("docs/guide/a.md", "[back](../guide/cluster.md)\n"), IsEmpty());
}

TEST(References, MayBePatternsAndFilesOfOthers) {
  EXPECT_THAT(violations("node/a.cpp", "// node/NAME.h, node/*_test.cpp, $PREFIX/node/x.h\n"),
              IsEmpty());
  EXPECT_THAT(violations("node/a.cpp", "// hw.h, /etc/node/x.md, src/mpi/csel.c, a node/core\n"),
              ElementsAre("node/a.cpp:1: there is no node/core"));
  EXPECT_THAT(violations("node/a.cpp", "auto text = \"models.md\";\n"), IsEmpty());
}

TEST(References, AreNotToWhatIsBuilt) {
  const std::filesystem::path root = std::filesystem::path(testing::TempDir()) / "nmt-references";
  std::filesystem::create_directories(root / "build");
  std::ofstream(root / "build/log") << "of a run";
  std::ofstream(root / "a.md") << "./build/dev\n";
  const std::vector<SourceFile> files = read_tree(root);
  std::filesystem::remove_all(root);
  EXPECT_EQ(files.size(), 1u);
  EXPECT_THAT(reference_violations(files), IsEmpty());
}

TEST(References, HoldInThisProject) {
  const std::vector<std::string> found = reference_violations(read_tree(NMADTUNE_SOURCE_DIR));
  EXPECT_TRUE(found.empty()) << fmt::format("{}", fmt::join(found, "\n"));
}

}  // namespace
}  // namespace nmt::style
