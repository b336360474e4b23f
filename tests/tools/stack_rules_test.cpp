// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample --stack --parts collectives and the export of its rules, over jobs whose times are
// planted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/json.h"
#include "stacks/stacks.h"
#include "tests/stacks/planted_mpich.h"
#include "tests/tools/planted_stack.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(StackTest, RulesThatLoseAnAbAreWithdrawn) {
  const std::string launcher = collectives_script("launch", "30000", "30000", "");
  ASSERT_EQ(sample_collectives(launcher).exit_code, 0);
  const Result won = tune(
      {"ab", "openmpi", "--launcher", launcher, "--rounds", "5", "--db", path("a.db"), "--json"});
  ASSERT_EQ(won.exit_code, 0) << won.err;
  EXPECT_EQ(at(document(won), "withdrawn"), json::Value::array());
  EXPECT_EQ(at(document(won), "collectives.0.ranks"), json::Value(4)) << won.out;
  EXPECT_THAT(won.err, HasSubstr("50 of collectives"));  // beforehand

  const std::string once =
      collectives_script("once", "(size[k] == 1024 ? 60000 : 30000)", "30000", "");
  const Result partly =
      tune({"ab", "openmpi", "--launcher", once, "--rounds", "5", "--db", path("a.db"), "--json"});
  ASSERT_EQ(partly.exit_code, 0) << partly.err;
  EXPECT_EQ(at(document(partly), "withdrawn"),
            json::Value::array().push_back("bcast on 4 ranks at 1 KiB"))
      << partly.out;

  const std::string changed = collectives_script("changed", "60000", "30000", "");
  const Result lost = tune(
      {"ab", "openmpi", "--launcher", changed, "--rounds", "5", "--db", path("a.db"), "--json"});
  ASSERT_EQ(lost.exit_code, 0) << lost.err;
  EXPECT_EQ(at(document(lost), "withdrawn"), json::Value::array().push_back("bcast")) << lost.out;
  const Result exported =
      tune({"export", "openmpi", "--db", path("a.db"), "-o", path("conf") + "/"});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_THAT(read("conf/mca-params.conf"),
              HasSubstr("left out: bcast on 4 ranks: slower by rules"));
  const stacks::TunedRules rules =
      stacks::read_tuned_rules(read("conf/coll_tuned_rules.conf"), "rules", "4.1.4");
  EXPECT_FALSE(rules.contains("bcast"));
  EXPECT_TRUE(rules.contains("alltoall"));
  for (const std::string& file : files()) EXPECT_THAT(file, Not(HasSubstr(".rules")));
}

TEST_F(StackTest, AnOperationHasThreeJobsWhereTheyEndBeforeItsBudgetDoes) {
  const std::string quick = collectives_script("launch", "30000", "30000", "");
  const std::string slow = script("slow", "#!/bin/sh\nsleep 0.2\nexec " + quick + " \"$@\"\n");
  const auto repetitions = [&](const std::string& launcher, const std::string& budget) {
    const Result sampled = sample_collectives(launcher, {"--budget", budget});
    EXPECT_EQ(sampled.exit_code, 0) << sampled.err;
    const std::string line = sampled.last_line();
    const std::size_t begin = line.find("repetitions=");
    return begin == std::string::npos ? 0 : std::stoul(line.substr(line.find('=', begin) + 1));
  };
  const std::size_t of_one = repetitions(slow, "100ms");
  EXPECT_GT(of_one, 0U);
  EXPECT_EQ(repetitions(quick, "60s"), 3 * of_one);
}

// As Open MPI 5 has them: coll/han is asked first; or as 4.1: it is there and never asked.
class WhereHanIsThere : public StackTest {
 protected:
  // `asked`: what the library says of itself besides.
  std::string launcher(const std::string& asked, const std::string& segment_ns = "40000") const {
    collectives_script("launch", "30000", "30000", han_ns_);
    std::string text = read("launch");
    const std::string none = R"(\"variables\": {})", version = "Open MPI v4.1.4", other = "40000";
    text.replace(text.find(none), none.size(),
                 R"(\"variables\": {\"coll_han_priority\": \")" + priority_ +
                     R"(\", \"coll_tuned_priority\": \"30\")" + asked + "}");
    text.replace(text.find(version), version.size(), "Open MPI v" + version_);
    text.replace(text.find(other), other.size(), segment_ns);
    return script("launch", text);
  }
  Fields exported(const std::string& launcher) const {
    install("ompi_info", "Open MPI v" + version_);
    const Result sampled = sample_collectives(launcher);
    EXPECT_EQ(sampled.exit_code, 0) << sampled.err;
    tune({"export", "openmpi", "--db", path("a.db"), "-o", path("conf") + "/"});
    return stacks::read_mca_params(read("conf/mca-params.conf"), "mca-params.conf");
  }

  stacks::HanRules han_rules() const {
    return stacks::read_han_rules(read("conf/coll_han_rules.conf"), "rules", version_);
  }

  std::string version_ = "5.0.7", priority_ = "35", han_ns_ = "60000";
};

TEST_F(WhereHanIsThere, ItsRulesHandOnWhatTunedDoesBetter) {
  const Fields settings = exported(launcher(""));
  const stacks::HanRules rules = han_rules();
  EXPECT_EQ(rules.at("bcast").at(4), (std::vector<stacks::HanRule>{{0, "tuned"}}));
  EXPECT_FALSE(rules.contains("alltoall"));  // which coll/han does not have
  EXPECT_TRUE(stacks::read_tuned_rules(read("conf/coll_tuned_rules.conf"), "rules", "5.0.7")
                  .contains("alltoall"));
  EXPECT_EQ(settings.at("coll_han_use_dynamic_file_rules"), "1");
  EXPECT_THAT(settings.at("coll_han_dynamic_rules_filename"), HasSubstr("/conf/coll_han_rules"));
  EXPECT_EQ(settings.at("coll_han_priority"), "35");
  EXPECT_FALSE(settings.contains("coll_han_bcast_segsize"));
}

// Neither says whether coll/han acts between nodes: a campaign on one node, and a comparison.
TEST_F(WhereHanIsThere, ItsRulesStayAfterACampaignOnOneNodeAndAComparison) {
  const std::string both = launcher("");
  exported(both);
  const std::string before = read("conf/coll_han_rules.conf");
  std::string alone = read("launch");
  for (const auto& [was, is] :
       {std::pair<std::string, std::string>{R"(, \"two\")", ""},
        {R"(\"ranks_per_node\": 2, \"nodes\": 2)", R"(\"ranks_per_node\": 4, \"nodes\": 1)"},
        {R"(\"coll_han_priority\": \"35\", )", ""}}) {
    ASSERT_NE(alone.find(was), std::string::npos) << was;
    alone.replace(alone.find(was), was.size(), is);
  }
  ASSERT_EQ(sample_collectives(script("alone", alone)).exit_code, 0);
  const Result compared =
      tune({"ab", "openmpi", "--launcher", both, "--rounds", "5", "--db", path("a.db")});
  ASSERT_EQ(compared.exit_code, 0) << compared.err;
  const Result again =
      tune({"export", "openmpi", "--db", path("a.db"), "--force", "-o", path("conf") + "/"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(han_rules(), stacks::read_han_rules(before, "rules", version_));
  EXPECT_THAT(read("conf/mca-params.conf"), HasSubstr("\ncoll_han_priority"));
}

TEST_F(WhereHanIsThere, AnotherSegmentOfItIsExportedWhereThatPays) {
  const Fields settings = exported(launcher("", "20000"));
  const stacks::HanRules rules = han_rules();
  EXPECT_EQ(rules.at("bcast").at(4), (std::vector<stacks::HanRule>{{0, "han"}}));
  EXPECT_EQ(rules.at("reduce").at(4), (std::vector<stacks::HanRule>{{0, "tuned"}}));
  EXPECT_EQ(settings.at("coll_han_bcast_segsize"), "16384");
  EXPECT_FALSE(settings.contains("coll_han_reduce_segsize"));
}

// UCC would win, but the rules of coll/han cannot name it.
TEST_F(WhereHanIsThere, ComponentsThatTheLibraryListsCompeteWhereItsRulesCanNameThem) {
  launcher(R"(, \"coll_%_priority\": \"adapt,basic,han,libnbc,self,tuned,ucc,xhc\")");
  std::string text = read("launch");
  text.insert(text.find("      if (component[which[1] - 98] == \"han\""),
              "      if (component[which[1] - 98] == \"ucc\") ns = 1\n"
              "      if (component[which[1] - 98] == \"adapt\")\n"
              "        ns = value[\"operation:\"] == \"bcast\" ? 10000 : 52000\n"
              "      if (component[which[1] - 98] == \"xhc\")\n"
              "        ns = value[\"operation:\"] == \"allreduce\" ? 10000 : 52000\n");
  exported(script("launch", text));
  const stacks::HanRules rules = han_rules();
  EXPECT_EQ(rules.at("bcast").at(4), (std::vector<stacks::HanRule>{{0, "adapt"}}));
  EXPECT_EQ(rules.at("reduce").at(4), (std::vector<stacks::HanRule>{{0, "tuned"}}));
  EXPECT_EQ(rules.at("allreduce").at(4), (std::vector<stacks::HanRule>{{0, "xhc"}}));
}

TEST_F(WhereHanIsThere, AVersionThatNoTestHasRunIsWarnedOf) {
  version_ = "6.1.0";
  install("ompi_info", "Open MPI v" + version_);
  const Result sampled = sample_collectives(launcher(""));
  EXPECT_EQ(sampled.exit_code, 0) << sampled.err;
  EXPECT_THAT(sampled.err, HasSubstr("openmpi 6.1.0 was not tried"));
  const Result exported =
      tune({"export", "openmpi", "--db", path("a.db"), "-o", path("conf") + "/"});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_THAT(exported.err, HasSubstr("openmpi 6.1.0 was not tried"));
}

// A library that has put something else at a number of ours.
TEST_F(WhereHanIsThere, AlgorithmsAreThoseThatTheLibraryNames) {
  exported(launcher(R"(, \"coll_tuned_allgather_algorithm.enumerated\": \"ignore,linear,other\")"));
  const stacks::TunedRules rules =
      stacks::read_tuned_rules(read("conf/coll_tuned_rules.conf"), "rules", "5.0.7");
  for (const stacks::TunedRule& rule : rules.at("allgather").at(4)) EXPECT_EQ(rule.algorithm, 1);
}

TEST_F(WhereHanIsThere, In41ItIsAskedFirstWhereItBeatsTunedAndAnswersThereOnly) {
  version_ = "4.1.4", priority_ = "0", han_ns_ = "size[k] < 1024 ? 20000 : 60000";
  EXPECT_EQ(exported(launcher("")).at("coll_han_priority"), "31");
  const stacks::HanRules rules = han_rules();
  EXPECT_EQ(rules.at("bcast").at(4), (std::vector<stacks::HanRule>{{0, "han"}, {512, "tuned"}}));
  for (const std::string operation : {"allgatherv", "barrier", "gather", "reduce", "scatter"}) {
    EXPECT_EQ(rules.at(operation).at(1), (std::vector<stacks::HanRule>{{0, "tuned"}})) << operation;
  }
  EXPECT_EQ(rules.at("allreduce").at(1), (std::vector<stacks::HanRule>{{0, "libnbc"}}));
  const auto tuned =
      stacks::read_tuned_rules(read("conf/coll_tuned_rules.conf"), "rules", "4.1.4").at("bcast");
  EXPECT_EQ(tuned.at(4).at(0).algorithm, 0);
  EXPECT_EQ(tuned.at(4).at(1).size_bytes, 512u);
}

TEST_F(WhereHanIsThere, In41ItIsNotAskedWhereTunedIsFaster) {
  version_ = "4.1.4", priority_ = "0";
  EXPECT_FALSE(exported(launcher("")).contains("coll_han_priority"));
  EXPECT_FALSE(std::filesystem::exists(path("conf/coll_han_rules.conf")));
}

class UnderMpich : public StackTest {
 protected:
  // Of jobs that have loaded `library`.
  std::string launcher(const std::string& name, const std::string& bcast_ns,
                       const std::string& library) const {
    collectives_script(name, bcast_ns, "30000", "");
    std::string text = read(name);
    const std::string_view openmpi = "Open MPI v4.1.4", place = "LIBRARY";
    text.replace(text.find(openmpi), openmpi.size(), "MPICH Version: 4.0.2");
    text.replace(text.find(place), place.size(), library);
    return script(name, text);
  }
  std::vector<std::string> command(std::vector<std::string> words) const {
    words.insert(words.end(), {"--db", path("a.db")});
    return words;
  }
  Result sample_rules(const std::string& library) const {
    return sample(command({"--stack", "mpich", "--parts", "collectives", "--launcher",
                           launcher("launch", "30000", library)}));
  }
  Result lose_bcast(const std::string& library) const {
    return tune(command({"ab", "mpich", "--launcher", launcher("changed", "60000", library),
                         "--rounds", "5", "--json"}));
  }
};

// Which sizes are sampled depends on how many algorithms the library has.
TEST_F(UnderMpich, AnAbComparesTheSizesThatWereSampled) {
  std::string text = planted_mpich_library();
  const stacks::MpichOperation* bcast = stacks::find_mpich_operation("bcast");
  ASSERT_NE(bcast, nullptr);
  for (const stacks::MpichAlgorithm& each : bcast->algorithms) {
    const std::string known = "algorithm=" + std::string(each.function);
    if (std::string_view(each.name).find(':') == std::string_view::npos) continue;  // as 4.0 has
    for (std::size_t at = 0; (at = text.find(known, at)) != std::string::npos;) {
      text.replace(at, known.size(), std::string(known.size(), '-'));
    }
  }
  const std::string library = write("libmpi.so", text);
  const Result sampled = sample_rules(library);
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  const Result lost = lose_bcast(library);
  ASSERT_EQ(lost.exit_code, 0) << lost.err;
  EXPECT_EQ(at(document(lost), "withdrawn"), json::Value::array().push_back("bcast")) << lost.out;
}

// Rules for MPICH are its library's own tables, with what was measured in them.
TEST_F(UnderMpich, TablesAreExportedAndWithdrawn) {
  const std::string library = write("libmpi.so", planted_mpich_library());
  const Result sampled = sample_rules(library);
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  const Result exported = tune(command({"export", "mpich", "-o", path("mpich") + "/"}));
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  const Fields settings = stacks::read_environment(read("mpich/mpich.env"), "mpich.env");
  EXPECT_EQ(settings.at("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"),
            path("mpich/mpich_algorithms.json"));
  EXPECT_THAT(read("mpich/mpich.env"), HasSubstr("bcast on 4 ranks: rules at"));
  const stacks::Selection rules =
      stacks::read_selection(read("mpich/mpich_algorithms.json"), "rules");
  EXPECT_NE(rules, stacks::find_mpich_tables(planted_mpich_library())->algorithms);
  EXPECT_EQ(tune({"export", "mpich", "--check", path("mpich/mpich.env"), "--for", "4.0"}).exit_code,
            0);
  for (const std::string name : {"mpich_algorithms.json", "mpich_compositions.json"}) {
    const std::string file = path("mpich/" + name);
    const auto checked_for = [&](const std::string& version) {
      return tune({"export", "mpich", "--check", file, "--for", version}).err;
    };
    EXPECT_THAT(checked_for("4.2.1"),
                HasSubstr(file + " was written for mpich 4.0.2, and mpich 4.2.1 is to read it"));
    EXPECT_THAT(checked_for("4.0.2"), Not(HasSubstr("was written for")));
  }

  const Result part = tune(command({"export", "mpich", "--for", "4.0", "-o", path("4.0") + "/"}));
  EXPECT_EQ(part.exit_code, 0) << part.err;
  EXPECT_EQ(stacks::read_selection(read("4.0/mpich_algorithms.json"), "rules"), rules);

  const Result lost = lose_bcast(library);
  ASSERT_EQ(lost.exit_code, 0) << lost.err;
  EXPECT_EQ(at(document(lost), "withdrawn"), json::Value::array().push_back("bcast")) << lost.out;
  tune(command({"export", "mpich", "-o", path("again") + "/"}));
  EXPECT_THAT(read("again/mpich.env"), HasSubstr("left out: bcast on 4 ranks: slower by rules"));
  for (const std::string& file : files()) EXPECT_THAT(file, Not(HasSubstr(".rules")));

  write("libmpi.so", "another build");
  const Result without = tune(command({"export", "mpich"}));
  EXPECT_EQ(without.exit_code, 0) << without.err;
  EXPECT_THAT(without.out, HasSubstr("left out: rules for collectives: " + library));
}

}  // namespace
}  // namespace nmt::testing
