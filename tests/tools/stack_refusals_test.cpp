// SPDX-License-Identifier: BSD-3-Clause
//
// What nmad-sample --stack and nmad-tune export refuse or warn of, and the files that they write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "stacks/stacks.h"
#include "tests/stacks/planted_mpich.h"
#include "tests/tools/planted_stack.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(StackTest, ALauncherThatFailsIsShownWithItsWords) {
  const Result failed =
      sample_stack(script("launch", "#!/bin/sh\necho no such host >&2\nexit 3\n"));
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, AllOf(HasSubstr("failed with 3"), HasSubstr("no such host")));
  const Result silent = sample_stack("true");
  EXPECT_EQ(silent.exit_code, 1);
  EXPECT_THAT(silent.err, HasSubstr("not a document of nmad-sample"));
  EXPECT_EQ(sample_stack(path("absent")).exit_code, 1);
}

TEST_F(StackTest, ALauncherOfAnotherMpiIsRefusedWithBothNamesAndVersions) {
  for (const std::string part : {"messages", "collectives"}) {
    const Result refused =
        sample({"--stack", "mpich", "--launcher", script("launch", kLauncher), "--db", path("a.db"),
                "--parts", part},
               {.environment = {{"PATH", path("installed") + ":" + std::getenv("PATH")}}});
    EXPECT_EQ(refused.exit_code, 2) << part;
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr("starts ranks of Open MPI v4.1.4"),
                      HasSubstr("--stack mpich samples MPICH over UCX (installed: 4.0.2)")));
  }
}

// Built from MPICH, but with settings of its own.
TEST_F(StackTest, AnMpiThatIsNeitherIsNotTakenForMpich) {
  std::string text(kLauncher);
  const std::string_view openmpi = "Open MPI v4.1.4";
  text.replace(text.find(openmpi), openmpi.size(), "Intel(R) MPI Library 2021.9");
  const Result refused =
      sample({"--stack", "mpich", "--launcher", script("launch", text), "--db", path("a.db")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("starts ranks of Intel(R) MPI Library 2021.9"),
                                 Not(HasSubstr("or --stack"))));
}

TEST_F(StackTest, WithoutControlVariablesItSaysWhatCannotBeKnownAndMeasuresNothing) {
  std::string text(kLauncher);
  const std::string_view before = R"(\"network\")";
  text.insert(text.find(before), R"(\"control_variables\": false, )");
  for (const std::string part : {"messages", "collectives"}) {
    const Result refused = sample({"--stack", "openmpi", "--launcher", script("launch", text),
                                   "--db", path("a.db"), "--parts", part});
    EXPECT_EQ(refused.exit_code, 1) << part;
    EXPECT_THAT(refused.err, AllOf(HasSubstr("of Open MPI v4.1.4: MPI_T is switched off"),
                                   HasSubstr("leave out what intercepts MPI_T_init_thread")))
        << part;
  }
}

TEST_F(StackTest, StacksAndVersionsThatAreNotKnownAreRefusedWithThoseThatAre) {
  EXPECT_EQ(sample({"--stack", "lam"}).exit_code, 2);
  EXPECT_THAT(sample({"--stack", "lam"}).err,
              HasSubstr("there is: openmpi, mpich, ucx, libfabric"));
  EXPECT_EQ(sample({"--stack", "openmpi", "--rounds", "2"}).exit_code, 2);
  EXPECT_EQ(sample({"--stack", "openmpi", "--turn", "sizes:1"}).exit_code, 2);
  const std::string profile = make_profile(path("b.db"));
  EXPECT_EQ(tune({"export", "lam", "--db", profile}).exit_code, 2);
  const Result old = tune({"export", "openmpi", "--for", "1.6", "--db", profile});
  EXPECT_EQ(old.exit_code, 2);
  EXPECT_THAT(old.err, HasSubstr("from 4.0"));
  const Result nothing = tune({"export", "openmpi", "--db", profile});
  EXPECT_EQ(nothing.exit_code, 6);
  EXPECT_THAT(nothing.err, HasSubstr("nmad-sample --stack openmpi --db"));
}

TEST_F(StackTest, FilesEditedByHandAreCheckedWithTheLineOfWhatIsWrong) {
  write("rules.conf", "# mine\n1\n7\n1\n4\n1\n0 6 0 0\n");
  EXPECT_EQ(tune({"export", "openmpi", "--check", path("rules.conf"), "--for", "4.1"}).exit_code,
            0);
  write("rules.conf", "# mine\n1\n7\n1\n4\n1\n8 6 0 0\n");
  const Result rules = tune({"export", "openmpi", "--check", path("rules.conf"), "--for", "4.1"});
  EXPECT_EQ(rules.exit_code, 1);
  EXPECT_THAT(rules.err, HasSubstr("rules.conf: line 7: the first message size must be 0, not 8"));
  write("mca.conf", "btl_tcp_eager_limit = 1 # one\n");
  EXPECT_THAT(tune({"export", "openmpi", "--check", path("mca.conf"), "--for", "4.1"}).err,
              HasSubstr("line 1"));
  EXPECT_EQ(tune({"export", "openmpi", "--check", path("absent"), "--for", "4.1"}).exit_code, 1);
}

TEST_F(StackTest, AFileIsCheckedForTheInstalledVersionElseForTheOneThatIsNamed) {
  write("rules.conf", "1\n0\n1\n4\n1\n0 7 0 0\n");
  const std::vector<std::string> check = {"export", "openmpi", "--check", path("rules.conf")};
  std::vector<std::string> for_version = check;
  for_version.insert(for_version.end(), {"--for", "5.0.7"});
  EXPECT_EQ(tune(for_version).exit_code, 0);
  for_version.back() = "4.1.4";
  EXPECT_THAT(tune(for_version).err, HasSubstr("Open MPI 4.1.4 has no algorithm 7 of allgather"));
  const Result asked = tune(check, {.environment = {{"PATH", path("")}}});
  EXPECT_EQ(asked.exit_code, 2);
  EXPECT_THAT(asked.err, HasSubstr("--for VERSION"));
  const std::string said = run({"ompi_info", "--version"}).out;  // "Open MPI v4.1.4"
  if (said.empty()) GTEST_SKIP() << "no ompi_info";
  const bool newer = said.find(" v5.") != std::string::npos;
  EXPECT_EQ(Sandbox::tune(check).exit_code, newer ? 0 : 1);
}

TEST_F(StackTest, AFileOfUcxOrLibfabricIsCheckedForTheInstalledVersion) {
  write("ucx.conf", "UCX_RNDV_THRESH=inter:9000,intra:9000\n");
  const std::vector<std::string> check = {"export", "ucx", "--check", path("ucx.conf")};
  EXPECT_THAT(tune(check).err, HasSubstr("UCX 1.13.1 has one threshold"));
  install("ucx_info", "# Version 1.18.1");
  EXPECT_THAT(tune(check).out, HasSubstr("that ucx 1.18.1 reads"));
  write("libfabric.env", "export FI_OFI_RXM_BUFFER_SIZE=9000\n");
  install("fi_info", "fi_info: 1.17.0");
  EXPECT_THAT(tune({"export", "libfabric", "--check", path("libfabric.env")}).out,
              HasSubstr("that libfabric 1.17.0 reads"));
}

// UCX carries MPICH's messages; an MPICH may have a UCX of its own.
TEST_F(StackTest, AUcxBelowMpichThatWasUpdatedSinceIsWarnedOfWithBothVersions) {
  std::string text = launcher_with(kOneThreshold);
  const std::string_view openmpi = "Open MPI v4.1.4", before = R"(\"network\")";
  text.replace(text.find(openmpi), openmpi.size(), "MPICH Version: 4.0.2");
  text.insert(text.find(before), R"(\"ucx_version\": \"1.12.9\", )");
  const Result sampled = sample({"--stack", "mpich", "--launcher", script("launch", text), "--db",
                                 path("a.db"), "--rounds", "5"});
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  const std::vector<std::string> command = {"export", "mpich", "--db", path("a.db")};
  const Result warned = tune(command);
  EXPECT_EQ(warned.exit_code, 0) << warned.err;
  EXPECT_THAT(warned.out, HasSubstr("export UCX_RNDV_THRESH="));
  const std::string both = "mpich was measured over ucx 1.12.9, and ucx 1.13.1 is installed here";
  EXPECT_THAT(warned.err, HasSubstr(both));
  install("ucx_info", "# Version 1.12.9");
  EXPECT_THAT(tune(command).err, Not(HasSubstr("was measured over")));
}

TEST_F(StackTest, AStackThatWasUpdatedSinceIsRefusedWithBothVersions) {
  ASSERT_EQ(sample_stack(script("launch", kLauncher)).exit_code, 0);
  install("ompi_info", "Open MPI v5.0.7");
  const std::vector<std::string> command = {"export",     "openmpi", "--db",
                                            path("a.db"), "-o",      path("written")};
  const Result refused = tune(command);
  EXPECT_EQ(refused.exit_code, 7);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("openmpi 4.1.4 was measured"),
                                 HasSubstr("openmpi 5.0.7 is installed"), HasSubstr("--for 4.1.4"),
                                 HasSubstr(path("a.db"))));
  EXPECT_FALSE(std::filesystem::exists(path("written")));
  std::vector<std::string> for_measured = command;
  for_measured.insert(for_measured.end(), {"--for", "4.1.4"});
  EXPECT_EQ(tune(for_measured).exit_code, 0);
  std::filesystem::remove(path("written"));
  std::filesystem::remove(path("installed/ompi_info"));  // then nothing says which is installed
  EXPECT_EQ(tune(command, {.environment = {{"PATH", path("installed")}}}).exit_code, 0);
}

// Each by the command that tells its version.
TEST_F(StackTest, EachStackThatWasUpdatedSinceIsRefusedWithBothVersions) {
  struct Updated {
    std::string stack, library, command, older, newer;
  };
  const std::vector<Updated> all = {
      {"ucx", "Open MPI v4.1.4", "ucx_info", "# Version 1.13.1", "# Version 1.18.1"},
      {"mpich", "MPICH Version: 4.0.2", "mpichversion", "MPICH Version: 4.0.2",
       "MPICH Version: 4.2.1"}};
  for (const Updated& each : all) {
    SCOPED_TRACE(each.stack);
    std::string text = launcher_with(kOneThreshold);
    const std::string_view openmpi = "Open MPI v4.1.4", before = R"(\"network\")";
    text.replace(text.find(openmpi), openmpi.size(), each.library);
    text.insert(text.find(before), R"(\"ucx_version\": \"1.13.1\", )");
    const std::string db = path(each.stack + ".db");
    const Result sampled =
        sample({"--stack", each.stack, "--launcher", script("launch-" + each.stack, text), "--db",
                db, "--rounds", "5"});
    ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
    install(each.command, each.older);
    EXPECT_EQ(tune({"export", each.stack, "--db", db}).exit_code, 0);
    install(each.command, each.newer);
    const Result refused = tune({"export", each.stack, "--db", db});
    EXPECT_EQ(refused.exit_code, 7) << refused.out;
    const std::string was = each.older.substr(each.older.rfind(' ') + 1);
    const std::string is = each.newer.substr(each.newer.rfind(' ') + 1);
    EXPECT_THAT(refused.err, AllOf(HasSubstr(each.stack + " " + was + " was measured"),
                                   HasSubstr(each.stack + " " + is + " is installed")));
  }
}

TEST_F(StackTest, AStackThatIsNotInstalledIsRefusedWithTheCommandsThatWereLookedFor) {
  const Setting nothing{.environment = {{"PATH", path("installed")}}};
  for (const auto& [stack, command] :
       {std::pair("openmpi", "mpirun.openmpi"), std::pair("mpich", "mpiexec.hydra")}) {
    const Result refused = sample({"--stack", stack, "--db", path("a.db")}, nothing);
    EXPECT_EQ(refused.exit_code, 1) << stack;
    EXPECT_THAT(refused.err, AllOf(HasSubstr("is not installed"), HasSubstr(command)));
  }
}

// The same after an update where something else was measured since, and where a job is launched.
TEST_F(StackTest, WhatWasMeasuredUnderAnOlderVersionIsRefusedThoughTheNewestCampaignIsOfAnother) {
  ASSERT_EQ(sample_stack(script("launch", kLauncher)).exit_code, 0);
  const std::string newer = collectives_of_version("newer", "5.0.7", 4);
  ASSERT_EQ(sample_collectives(newer).exit_code, 0);
  install("ompi_info", "Open MPI v5.0.7");
  const Result refused = tune({"export", "openmpi", "--db", path("a.db")});
  EXPECT_EQ(refused.exit_code, 7) << refused.out;
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("openmpi 4.1.4 was measured, and openmpi 5.0.7 is installed here"),
                    HasSubstr("nmad-sample --stack openmpi --db"), HasSubstr("--for 4.1.4")));
  const Result compared = tune({"ab", "openmpi", "--launcher", newer, "--db", path("a.db")});
  EXPECT_EQ(compared.exit_code, 7) << compared.out;
  EXPECT_THAT(compared.err, HasSubstr("openmpi 5.0.7 is what --launcher starts"));
  install("ompi_info", "Open MPI v4.1.4");
  const Result rules = tune({"export", "openmpi", "--db", path("a.db")});
  EXPECT_EQ(rules.exit_code, 7) << rules.out;
  EXPECT_THAT(rules.err, AllOf(HasSubstr("openmpi 5.0.7 was measured (collectives)"),
                               HasSubstr("--stack openmpi --parts collectives")));
}

// Settings of 4.1.4 and then of 5.0.7, with rules of the first.
TEST_F(StackTest, SettingsOfTwoVersionsAreNotMergedAndAFileSaysWhatWasLeftOut) {
  ASSERT_EQ(sample_stack(script("launch", kLauncher)).exit_code, 0);
  ASSERT_EQ(sample_collectives(collectives_of_version("older", "4.1.4", 16)).exit_code, 0);
  std::string text(kLauncher);
  text.replace(text.find("v4.1.4"), 6, "v5.0.7");
  install("ompi_info", "Open MPI v5.0.7");
  ASSERT_EQ(sample_stack(script("newer", text)).exit_code, 0);
  const auto exported_for = [&](const std::string& version) {
    const Result exported = tune({"export", "openmpi", "--for", version, "--db", path("a.db"), "-o",
                                  path("for_" + version) + "/"});
    EXPECT_EQ(exported.exit_code, 0) << exported.err;
    return read("for_" + version + "/mca-params.conf");
  };
  const std::string newer = exported_for("5.0.7");
  EXPECT_THAT(newer, HasSubstr("left out: settings that were measured under other versions than"));
  EXPECT_THAT(newer, HasSubstr("left out: rules for collectives: they were measured under 4.1.4"));
  EXPECT_THAT(newer, Not(HasSubstr("coll_tuned_rules")));
  EXPECT_THAT(exported_for("4.1.4"), HasSubstr("coll_tuned_rules"));
}

TEST_F(StackTest, RulesOfTwoVersionsAreNotMerged) {
  ASSERT_EQ(sample_collectives(collectives_of_version("older", "4.1.4", 16)).exit_code, 0);
  ASSERT_EQ(sample_collectives(collectives_of_version("newer", "5.0.7", 4)).exit_code, 0);
  install("ompi_info", "Open MPI v5.0.7");
  const Result exported =
      tune({"export", "openmpi", "--db", path("a.db"), "-o", path("conf") + "/"});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  const stacks::TunedRules rules =
      stacks::read_tuned_rules(read("conf/coll_tuned_rules.conf"), "rules", "5.0.7");
  EXPECT_TRUE(rules.at("bcast").contains(4));
  EXPECT_FALSE(rules.at("bcast").contains(16));
  EXPECT_THAT(read("conf/mca-params.conf"),
              HasSubstr("left out: rules that were measured under other versions than 5.0.7"));
  const auto export_for = [&](const std::string& version, const std::string& folder) {
    return tune(
        {"export", "openmpi", "--for", version, "--db", path("a.db"), "-o", path(folder) + "/"});
  };
  for (const std::string named : {"4.1.4", "4.1"}) {
    const std::string folder = "for_" + named;
    const Result of_older = export_for(named, folder);
    ASSERT_EQ(of_older.exit_code, 0) << of_older.err;
    const stacks::TunedRules older =
        stacks::read_tuned_rules(read(folder + "/coll_tuned_rules.conf"), "rules", "4.1.4");
    EXPECT_TRUE(older.at("bcast").contains(16)) << named;
    EXPECT_FALSE(older.at("bcast").contains(4)) << named;
  }
  const Result of_none = export_for("5.0.1", "for_none");
  ASSERT_EQ(of_none.exit_code, 0) << of_none.err;
  EXPECT_FALSE(std::filesystem::exists(path("for_none/coll_tuned_rules.conf")));
  EXPECT_THAT(of_none.out,
              HasSubstr("they were measured under 5.0.7, and this export is for 5.0.1"));
}

// 4.0.2 is installed, which has neither this algorithm nor parameters.
TEST_F(StackTest, ATableOfAnotherMpichThanIsInstalledIsCheckedWithoutTheAlgorithmsOfThatOne) {
  std::string text = algorithms_text();
  const std::string_view was = R"("algorithm=MPIR_Bcast_allcomm_nb":{})";
  text.replace(text.find(was), was.size(),
               R"("algorithm=MPIR_Bcast_intra_pipelined_tree":{"tree_type=kary":{},"k=2":{},)"
               R"("is_non_blocking=0":{},"chunk_size=1024":{},"recv_pre_posted=0":{}})");
  write("table.json", text);
  std::vector<std::string> command = {"export", "mpich", "--check", path("table.json"), "--for"};
  command.emplace_back("4.2.1");
  const Result newer = tune(command);
  EXPECT_EQ(newer.exit_code, 0) << newer.err;
  command.back() = "4.0.1";
  const Result older = tune(command);
  EXPECT_EQ(older.exit_code, 1);
  EXPECT_THAT(older.err, HasSubstr("algorithms have parameters from MPICH 4.2 on"));
}

// "4.0" means 4.0.2 where that is installed.
TEST_F(StackTest, ATableForPartOfAVersionIsCheckedWithTheAlgorithmsOfTheInstalledOne) {
  const std::string library = write("libmpich.so", planted_mpich_library());
  script("installed/ldconfig", "#!/bin/sh\necho 'libmpich.so.12 => " + library + "'\n");
  std::string text = algorithms_text();
  const std::string_view was = "MPIR_Bcast_allcomm_nb";
  text.replace(text.find(was), was.size(), "MPIR_Bcast_intra_unheard_of");
  write("table.json", text);
  const auto check_for = [&](const std::string& version) {
    return tune({"export", "mpich", "--check", path("table.json"), "--for", version});
  };
  for (const std::string version : {"4.0.2", "4.0"}) {
    const Result refused = check_for(version);
    EXPECT_EQ(refused.exit_code, 1) << version;
    EXPECT_THAT(refused.err, HasSubstr("the library has no such algorithm")) << version;
  }
  EXPECT_EQ(check_for("4.0.1").exit_code, 0);
}

TEST_F(StackTest, NewMadeleineIsExportedFromTheProfilesOwnRails) {
  const std::string profile = make_profile(path("b.db"));
  const Result result = tune({"export", "newmadeleine", "--db", profile, "-o", path("ns") + "/"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const std::string name : {"nm:minidriver_fake", "nm:minidriver_fake-large"}) {
    EXPECT_EQ(stacks::read_nm_ns(read("ns/" + name + "_x86_64.nm_ns"), "x").size(), 26u);
  }
}

// Tabs and all; what is said about it is elsewhere.
TEST_F(StackTest, AFileOnStandardOutputIsThatFile) {
  const std::string profile = make_profile(path("b.db"));
  tune({"export", "newmadeleine", "--for", "2017", "--db", profile, "-o", path("written")});
  ASSERT_THAT(read("written"), HasSubstr("\t"));
  const Result result = tune({"export", "newmadeleine", "--for", "2017", "--db", profile},
                             {.stdout_file = path("redirected")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(read("redirected") == read("written")) << read("redirected");
  EXPECT_THAT(result.err, HasSubstr("SUMMARY stack=newmadeleine"));
  EXPECT_EQ(tune({"export", "newmadeleine", "--check", path("redirected")}).exit_code, 0);
}

TEST_F(StackTest, OutputGoesToBareNamesToo) {
  make_profile("b.db");
  const Setting here{.in_child = [folder = path("")] {
    if (::chdir(folder.c_str()) != 0) ::_exit(126);
  }};
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"export", "newmadeleine", "--for", "2017", "-o", "exp.conf"},
        {"export", "newmadeleine", "--output", "folder/"},
        {"compile", "-o", "b.nmt"},
        {"db", "export", "b.json"}}) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--db", "b.db"});
    const Result result = tune(all, here);
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
  EXPECT_EQ(
      sample({"--rails", "fake:rails.json", "--budget", "1s", "--max-size", "4K", "--db", "c.db"},
             here)
          .exit_code,
      0);
  EXPECT_EQ(tune({"db", "merge", "b.db", "c.db", "--db", "all.db"}, here).exit_code, 0);
  EXPECT_THAT(files(), ::testing::IsSupersetOf(
                           {"all.db", "b.db", "b.json", "b.nmt", "c.db", "exp.conf", "folder"}));
}

}  // namespace
}  // namespace nmt::testing
