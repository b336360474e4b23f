// SPDX-License-Identifier: BSD-3-Clause
#include "tests/style/floors.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace nmt::style {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kTable =
    "A page.\n"
    "\n"
    "| floor | folder | job | may include | outside world |\n"
    "| --- | --- | --- | --- | --- |\n"
    "| 0 | core | words | nothing | `parser/` in one file |\n"
    "| 1 | node | machine | core | `hw.h` |\n"
    "| 1 | store | files | core | nothing |\n"
    "| 2 | runtime | answers | core; node, store in one file | nothing |\n"
    "| 4 | tools | commands | everything | `CLI/` |\n"
    "| - | tests, bench | proof | everything | everything |\n"
    "\n"
    "| another | table |\n"
    "| --- | --- |\n";

SourceFile file_with(const std::string& path, const std::string& includes) {
  return {path, includes};
}

std::vector<std::string> violations(const std::vector<SourceFile>& files) {
  return include_violations(parse_floors(kTable), files);
}

TEST(Floors, AreReadFromTheTable) {
  const std::vector<Floor> floors = parse_floors(kTable);
  ASSERT_EQ(floors.size(), 7u);
  EXPECT_EQ(floors[0].level, 0);
  EXPECT_THAT(floors[0].folders, IsEmpty());
  EXPECT_THAT(floors[0].outside, ElementsAre(Allowance{"parser/", true}));
  EXPECT_THAT(floors[3].folders, ElementsAre(Allowance{"core", false}, Allowance{"node", true},
                                             Allowance{"store", true}));
  EXPECT_EQ(floors[6].folder, "bench");
  EXPECT_EQ(floors[6].level, std::nullopt);
  EXPECT_THAT(table_problems(floors), IsEmpty());
}

TEST(Floors, RefuseARowThatCannotBeRead) {
  const std::string head = "| floor | folder | job | may include | outside world |\n";
  EXPECT_THROW(parse_floors(head + "| 1 | node | core |\n"), std::runtime_error);
  EXPECT_THROW(parse_floors(head + "| 1 | node | x | core and more | nothing |\n"),
               std::runtime_error);
}

TEST(Floors, FindATableThatPointsUpOrSideways) {
  const std::string head = "| floor | folder | job | may include | outside world |\n";
  EXPECT_THAT(table_problems(parse_floors(head + "| 0 | core | x | node | nothing |\n"
                                                 "| 1 | node | x | store | nothing |\n"
                                                 "| 1 | store | x | attic | nothing |\n"
                                                 "| 1 | store | x | core | nothing |\n")),
              ElementsAre(HasSubstr("core may include node"), HasSubstr("node may include store"),
                          HasSubstr("store has two rows"), HasSubstr("attic, which has no row"),
                          HasSubstr("store has two rows")));
}

TEST(Floors, LetARowIncludeWhatItLists) {
  EXPECT_THAT(violations({
                  file_with("core/json.cpp", "#include <parser/json.hpp>\n#include \"core/a.h\"\n"),
                  file_with("node/a.cpp",
                            "#include \"core/any.h\"\n#include <hw.h>\n"
                            "#include <sys/stat.h>\n#include <vector>\n"),
                  file_with("node/b.cpp", "#include \"node/private.h\"\n#include <hw.h>\n"),
                  file_with("runtime/load_plan.cpp",
                            "#include \"node/node.h\"\n"
                            "#include \"store/store.h\"\n"),
                  file_with("tools/main.cpp",
                            "#include \"runtime/runtime.h\"\n"
                            "#include <CLI/CLI.hpp>\n"),
                  file_with("tests/node/a_test.cpp",
                            "#include \"node/private.h\"\n"
                            "#include <anything.h>\n"),
              }),
              IsEmpty());
}

TEST(Floors, RefuseAFolderThatIsNotInTheRow) {
  EXPECT_THAT(violations({file_with("core/a.cpp", "\n#include \"node/node.h\"\n")}),
              ElementsAre("core/a.cpp:2: core may not include node"));
  EXPECT_THAT(violations({file_with("node/a.cpp", "  #  include \"store/store.h\"\n")}),
              ElementsAre(HasSubstr("node may not include store")));
  EXPECT_THAT(violations({file_with("tools/a.cpp", "#include \"tests/helper.h\"\n")}),
              ElementsAre(HasSubstr("tools may not include tests")));
  EXPECT_THAT(violations({file_with("tools/a.cpp", "#include \"attic/attic.h\"\n")}),
              ElementsAre(HasSubstr("tools may not include attic")));
}

TEST(Floors, RefuseAHeaderThatIsNotTheFace) {
  EXPECT_THAT(violations({file_with("tools/a.cpp", "#include \"store/rows.h\"\n")}),
              ElementsAre(HasSubstr("the face of store is store/store.h")));
}

TEST(Floors, RefuseAnIncludeThatDoesNotStartAtTheRoot) {
  EXPECT_THAT(violations({file_with("node/a.cpp", "#include \"b.h\"\n")}),
              ElementsAre(HasSubstr("must start at the root")));
}

TEST(Floors, RefuseForeignHeadersThatNoRowNames) {
  EXPECT_THAT(violations({file_with("store/a.cpp", "#include <hw.h>\n")}),
              ElementsAre(HasSubstr("<hw.h> is foreign")));
  EXPECT_THAT(violations({file_with("core/a.cpp", "#include <openssl/hmac.h>\n")}),
              ElementsAre(HasSubstr("<openssl/hmac.h> is foreign")));
}

TEST(Floors, RefuseASecondFileWhereTheRowSaysOne) {
  EXPECT_THAT(violations({file_with("core/a.cpp", "#include <parser/a.h>\n"),
                          file_with("core/b.cpp", "#include <parser/b.h>\n")}),
              ElementsAre(HasSubstr("core/a.cpp, core/b.cpp")));
  EXPECT_THAT(violations({file_with("runtime/a.cpp", "#include \"node/node.h\"\n"),
                          file_with("runtime/b.cpp", "#include \"node/node.h\"\n")}),
              ElementsAre(HasSubstr("node is for one file")));
}

TEST(Floors, RefuseCodeInAFolderWithoutARow) {
  EXPECT_THAT(violations({file_with("attic/a.cpp", "")}), ElementsAre(HasSubstr("has no row")));
}

TEST(Floors, HoldBetweenFoldersWithinAFolder) {
  const auto violations_with = [](const std::string& path, const std::string& includes) {
    constexpr std::string_view kNested =
        "| floor | folder | job | may include | outside world |\n"
        "| 1 | node | machine | nothing | `hw.h` |\n"
        "\n"
        "| floor | folder | job | may include | outside world |\n"
        "| 1 | node/mpi/low | ranks | nothing | nothing |\n"
        "| 2 | node/mpi | job | node/mpi/low | `hw.h` |\n";
    return include_violations(parse_floors(kNested), std::vector{file_with(path, includes)});
  };
  EXPECT_THAT(violations_with("node/mpi/a.cpp",
                              "#include \"node/mpi/low/b.h\"\n"
                              "#include \"node/c.h\"\n#include <hw.h>\n"),
              IsEmpty());
  EXPECT_THAT(violations_with("node/mpi/low/b.cpp", "#include \"node/mpi/a.h\"\n"),
              ElementsAre("node/mpi/low/b.cpp:1: node/mpi/low may not include node/mpi"));
  EXPECT_THAT(violations_with("node/mpi/low/b.cpp", "#include <hw.h>\n"),
              ElementsAre(HasSubstr("<hw.h> is foreign and not in the row of node/mpi/low")));
  EXPECT_THAT(violations_with("node/mpi/new/d.cpp", ""),
              ElementsAre(HasSubstr("folder node/mpi/new has no row")));
}

TEST(Floors, RefuseADriverThatIncludesAnother) {
  const auto violations_with = [](const std::string& path, const std::string& includes) {
    return driver_violations(std::vector{
        file_with("drivers/shm/driver.h", "std::unique_ptr<Driver> make_shm_driver();\n"),
        file_with("drivers/tcp/driver.h", "std::unique_ptr<Driver> make_tcp_driver(int port);\n"),
        file_with("drivers/drivers.cpp",
                  "#include \"drivers/shm/driver.h\"\n#include \"drivers/tcp/driver.h\"\n"),
        file_with(path, includes)});
  };
  EXPECT_THAT(violations_with("drivers/shm/ring.cpp",
                              "#include \"drivers/message.h\"\n"
                              "#include \"drivers/shm/ring.h\"\n"),
              IsEmpty());
  EXPECT_THAT(violations_with("drivers/shm/driver.cpp", "#include \"drivers/tcp/socket.h\"\n"),
              ElementsAre("drivers/shm/driver.cpp:1: drivers/tcp/socket.h is of driver tcp"));
  EXPECT_THAT(violations_with("drivers/message.cpp", "#include \"drivers/tcp/driver.h\"\n"),
              ElementsAre(HasSubstr("is of driver tcp")));
}

TEST(Floors, HoldInThisProject) {
  const std::vector<SourceFile> files = read_tree(NMADTUNE_SOURCE_DIR);
  const auto page = std::ranges::find(files, "docs/architecture.md", &SourceFile::path);
  ASSERT_NE(page, files.end());
  const std::vector<Floor> floors = parse_floors(page->text);
  EXPECT_THAT(floors, Contains(testing::Field(&Floor::folder, "core")));
  EXPECT_THAT(table_problems(floors), IsEmpty());
  std::vector<std::string> found = include_violations(floors, files);
  std::ranges::move(driver_violations(files), std::back_inserter(found));
  EXPECT_TRUE(found.empty()) << fmt::format("{}", fmt::join(found, "\n"));
}

}  // namespace
}  // namespace nmt::style
