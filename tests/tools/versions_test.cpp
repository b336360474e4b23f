// SPDX-License-Identifier: BSD-3-Clause
//
// docs/reference/versions.md against the code, the commands, and what is installed here.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "stacks/stacks.h"
#include "tests/tools/sandbox.h"
#include "tools/stack/stack.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Claim {
  std::string stack, version, claim, tests;
};

std::vector<Claim> claims_of_the_page() {
  static const std::regex row(R"(^\| ([a-z]+) \| ([^|]*) \| ([^|]*) \| ([^|]*)\|$)");
  std::ifstream page(NMADTUNE_SOURCE_DIR "/docs/reference/versions.md");
  std::vector<Claim> claims;
  for (std::string line; std::getline(page, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, row) || found[1] == "stack") continue;
    claims.push_back({found[1], found[2], found[3], found[4]});
  }
  return claims;
}

// "openmpi 4.1.4: tried", as the page and the code say it.
std::set<std::string> claimed() {
  std::set<std::string> all;
  for (const Claim& each : claims_of_the_page()) {
    const std::string claim = each.claim.starts_with("tried (Debian 1") ? "tried" : each.claim;
    all.insert(fmt::format("{} {}: {}", each.stack, each.version, claim));
  }
  return all;
}
std::set<std::string> meant() {
  std::set<std::string> all;
  for (const stacks::StackVersions& each : stacks::all_stack_versions()) {
    for (const std::string_view version : each.tried) {
      all.insert(fmt::format("{} {}: tried", each.stack, version));
    }
    all.insert(
        fmt::format("{} from {} to below {}: grammar only", each.stack, each.from, each.before));
    all.insert(fmt::format("{} all others: refused", each.stack));
  }
  return all;
}

TEST(Versions, OfThePageAreThoseOfTheCode) { EXPECT_EQ(claimed(), meant()); }

TEST(Versions, ThatWereTriedNameTestsThatThereAre) {
  static const std::regex name("`([^`]+)`");
  for (const Claim& each : claims_of_the_page()) {
    std::sregex_iterator test(each.tests.begin(), each.tests.end(), name);
    EXPECT_EQ(each.claim.starts_with("tried"), test != std::sregex_iterator()) << each.version;
    for (; test != std::sregex_iterator(); ++test) {
      const std::string file = NMADTUNE_SOURCE_DIR "/" + (*test)[1].str();
      EXPECT_TRUE(std::filesystem::exists(file)) << file;
    }
  }
}

// Those of Debian, of launchers, and of what versions do by themselves too.
TEST(Versions, OfThePageNameNoFileOfTestsThatThereIsNot) {
  static const std::regex name("`(tests/[^`]+)`");
  std::ifstream page(NMADTUNE_SOURCE_DIR "/docs/reference/versions.md");
  const std::string text(std::istreambuf_iterator<char>(page), {});
  std::set<std::string> named;
  for (std::sregex_iterator test(text.begin(), text.end(), name); test != std::sregex_iterator();
       ++test) {
    named.insert((*test)[1]);
  }
  EXPECT_GE(named.size(), 8u);
  for (const std::string& file : named) {
    EXPECT_TRUE(std::filesystem::exists(NMADTUNE_SOURCE_DIR "/" + file)) << file;
  }
}

// So that no version is called tried that no machine of the tests has.
TEST(Versions, OfWhatIsInstalledHereAreAmongThoseThatWereTried) {
  int installed = 0;
  for (const stacks::StackVersions& each : stacks::all_stack_versions()) {
    const std::string version = tools::installed_version(each.stack);
    if (version.empty()) continue;
    ++installed;
    EXPECT_THAT(each.tried, ::testing::Contains(version)) << each.stack;
  }
  if (installed == 0) GTEST_SKIP() << "none of the stacks is installed";
}

// A program that prints its version in another way than today would make every stack "not here".
TEST(Versions, AreFoundOfEachStackThatIsInstalledHere) {
  const std::map<std::string, std::string> programs = {{"openmpi", "ompi_info"},
                                                       {"mpich", "mpichversion"},
                                                       {"ucx", "ucx_info"},
                                                       {"libfabric", "fi_info"}};
  int installed = 0;
  for (const auto& [stack, program] : programs) {
    if (run({"sh", "-c", "command -v " + program}).exit_code != 0) continue;
    ++installed;
    EXPECT_NE(tools::installed_version(stack), "") << program;
  }
  if (installed == 0) GTEST_SKIP() << "none of the stacks is installed";
}

class VersionsOfCommands : public Sandbox {
 protected:
  Result check_for(std::string_view stack, std::string_view version) const {
    write("file", "# nothing\n");
    return tune(
        {"export", std::string(stack), "--check", path("file"), "--for", std::string(version)});
  }
};

TEST_F(VersionsOfCommands, AreRefusedOrWarnedOfAsThePageSays) {
  constexpr const char* kWarning = "was not tried";
  for (const stacks::StackVersions& each : stacks::all_stack_versions()) {
    if (each.stack == "newmadeleine") continue;  // whose files have no comments
    EXPECT_EQ(check_for(each.stack, each.before).exit_code, 2) << each.stack;
    EXPECT_EQ(check_for(each.stack, "0.9").exit_code, 2) << each.stack;
    const Result grammar = check_for(each.stack, fmt::format("{}.0.99", each.from));
    EXPECT_EQ(grammar.exit_code, 0) << grammar.err;
    EXPECT_THAT(grammar.err, HasSubstr(kWarning));
    for (const std::string_view version : each.tried) {
      EXPECT_THAT(check_for(each.stack, version).err, Not(HasSubstr(kWarning))) << version;
    }
  }
  const std::string profile = make_profile(path("a.db"));
  EXPECT_THAT(tune({"export", "newmadeleine", "--db", profile}).err, HasSubstr(kWarning));
}

TEST_F(VersionsOfCommands, AreBothToldOfAFileThatWasWrittenForAnother) {
  const auto check = [&](const std::string& written_for, const std::string& algorithm) {
    write("rules.conf", "# Written by a test\n# For openmpi " + written_for +
                            ".\n1\n0\n1\n4\n1\n0 " + algorithm + " 0 0\n");
    return tune({"export", "openmpi", "--check", path("rules.conf"), "--for", "4.1.4"});
  };
  const std::string both =
      path("rules.conf") + " was written for openmpi 5.0.7, and openmpi 4.1.4 is to read it";
  const Result refused = check("5.0.7", "7");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("line 8: Open MPI 4.1.4 has no algorithm 7 of allgather"));
  EXPECT_THAT(refused.err, HasSubstr(both));
  const Result warned = check("5.0.7", "6");
  EXPECT_EQ(warned.exit_code, 0) << warned.err;
  EXPECT_THAT(warned.err, HasSubstr("warning: " + both));
  for (const std::string series : {"4.1", "4.1.4"}) {
    EXPECT_THAT(check(series, "6").err, Not(HasSubstr("was written for"))) << series;
  }
}

TEST_F(VersionsOfCommands, AreBothToldOfRulesOfHanThatWereWrittenForAnother) {
  write("coll_han_rules.conf",
        stacks::write_han_rules({{"bcast", {{1, {{0, std::string(stacks::kTunedComponent)}}}}}},
                                "# Written by a test\n# For openmpi 5.0.7.\n"));
  const Result checked =
      tune({"export", "openmpi", "--check", path("coll_han_rules.conf"), "--for", "4.1.4"});
  EXPECT_THAT(checked.err,
              HasSubstr(path("coll_han_rules.conf") +
                        " was written for openmpi 5.0.7, and openmpi 4.1.4 is to read it"));
}

// Settings as the writers write them: what the reading version lacks is refused, the rest warned
// of.
TEST_F(VersionsOfCommands, AreBothToldOfSettingsThatWereWrittenForAnother) {
  struct Written {
    std::string stack, version, reader, line, refusal;
  };
  const std::vector<Written> files = {
      {"openmpi", "5.0.7", "4.1.4", "btl_sm_eager_limit = 9000", "it is btl_vader_eager_limit"},
      {"openmpi", "4.1.4", "5.0.7", "btl_openib_eager_limit = 9000", "has no btl_openib_eager_"},
      {"openmpi", "4.1.4", "5.0.7", "btl_tcp_eager_limit = 9000", ""},
      {"ucx", "1.18.1", "1.13.1", "UCX_RNDV_THRESH=inter:9000,intra:9000", "has one threshold"},
      {"ucx", "1.13.1", "1.18.1", "UCX_RNDV_THRESH=9000", ""},
      {"mpich", "4.2.1", "4.0.2", "export UCX_RNDV_THRESH=9000", ""},
      {"libfabric", "2.1.0", "1.17.0", "export FI_OFI_RXM_BUFFER_SIZE=9000", ""}};
  for (const Written& each : files) {
    SCOPED_TRACE(each.line);
    write("settings", "# Written by a test\n# For " + each.stack + " " + each.version + ".\n" +
                          each.line + "\n");
    const Result checked =
        tune({"export", each.stack, "--check", path("settings"), "--for", each.reader});
    EXPECT_EQ(checked.exit_code, each.refusal.empty() ? 0 : 1) << checked.err;
    EXPECT_THAT(checked.err, HasSubstr(each.refusal));
    EXPECT_THAT(checked.err, HasSubstr("was written for " + each.stack + " " + each.version));
    EXPECT_THAT(checked.err, HasSubstr(each.stack + " " + each.reader + " is to read it"));
  }
}

}  // namespace
}  // namespace nmt::testing
