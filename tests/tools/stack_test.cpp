// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample --stack and nmad-tune export, over jobs whose times are planted: the launcher is a
// script that answers as the ranks of a job between two hosts would.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "core/json.h"
#include "stacks/stacks.h"
#include "tests/stacks/planted_mpich.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Eager costs 2 ns for a byte, rendezvous 30 us and 1 ns; rails of 1000 and 600 Mbit/s share by
// their weights what is above the limit. Each launch is off by up to 2 %.
constexpr std::string_view kLauncher = R"sh(#!/bin/sh
case $1 in */nmad-sample) ;; *) exec "$@" ;; esac
while [ "$1" != --turn ]; do shift; done
sizes=${2#sizes:}
exec awk -v sizes="${sizes%%/*}" -v limit="${OMPI_MCA_btl_tcp_eager_limit:-65536}" \
  -v w0="${OMPI_MCA_btl_tcp_bandwidth_r0:-100}" -v w1="${OMPI_MCA_btl_tcp_bandwidth_r1:-100}" '
BEGIN {
  srand(); "od -An -N2 -tu2 /dev/urandom" | getline seed
  speed = 1 + 0.02 * (seed / 65536 - 0.5)
  print "a word of the launcher"
  print "{"
  print "\"library\": \"Open MPI v4.1.4\", \"ranks\": 2, \"hosts\": [\"one\", \"two\"],"
  print "\"network\": \"tcp\", \"messages_by\": \"\","
  print "\"interfaces\": [\"r0\", \"r1\"], \"turn\": {\"cells\": ["
  n = split(sizes, size, ",")
  for (i = 1; i <= n; i++) {
    s = size[i]
    a = s * w0 / (w0 + w1) * 8; b = s * w1 / (w0 + w1) * 13.3
    ns = s + 56 <= limit ? 10000 + s * 2 : 30000 + (a > b ? a : b) / 8
    printf "%s{\"placement\": \"other-node\", \"size_bytes\": %d,", (i > 1 ? "," : ""), s
    printf "\"batch\": 1, \"totals_ns\": [%d, %d, %d]}",
      ns * speed, ns * speed * 1.001, ns * speed * 0.999
  }
  printf "], \"eager\": [{\"placement\": \"other-node\", \"bytes_max\": %d}],", limit - 56
  print "\"variables\": {\"btl_tcp_eager_limit\": \"65536\"}}"
  print "}"
}')sh";

// Collectives of 4 ranks on two hosts: own choices take 50 us, other algorithms 30 us; with a rules
// file BCAST and OTHERS, the hierarchical ones HAN; those need the second host.
constexpr std::string_view kCollectivesLauncher = R"sh(#!/bin/sh
while [ "$1" != --turn ]; do shift; done
rules=$OMPI_MCA_coll_tuned_dynamic_rules_filename$MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE
test -z "$rules" || test -r "$rules" || exit 4
exec awk -v order="$2" -v rules="$rules" '
BEGIN {
  srand(); "od -An -N2 -tu2 /dev/urandom" | getline seed
  speed = 1 + 0.02 * (seed / 65536 - 0.5)
  print "{"
  print "\"library_file\": \"LIBRARY\","
  print "\"library\": \"Open MPI v4.1.4\", \"ranks\": 4, \"hosts\": [\"one\", \"two\"],"
  print "\"network\": \"tcp\", \"messages_by\": \"\", \"interfaces\": [],"
  n = split(order, part, "/")
  for (i = 1; i <= n; i++) value[substr(part[i], 1, index(part[i], ":"))] = \
      substr(part[i], index(part[i], ":") + 1)
  if (!("operation:" in value)) {
    print "\"turn\": {\"cells\": [{\"placement\": \"other-node\", \"size_bytes\": 1,"
    print "\"batch\": 1, \"totals_ns\": [9000]}], \"eager\": [], \"variables\": {}}\n}"
    exit
  }
  print "\"collectives\": {\"ranks_per_node\": 2, \"nodes\": 2, \"cells\": ["
  candidates = split(value["candidates:"], candidate, ",")
  sizes = split(value["sizes:"], size, ",")
  for (i = 1; i <= candidates; i++) for (k = 1; k <= sizes; k++) {
    split(candidate[i], which, "x")
    ns = which[1] > 0 ? 30000 : 50000
    if (which[1] >= 99) {
      split(value["components:"], component, ",")
      ns = 51000
      if (component[which[1] - 98] == "han" && value["operation:"] == "bcast")
        ns = which[2] == 16384 ? SEGMENT : HAN
    }
    if (rules != "" && candidates == 1) ns = value["operation:"] == "bcast" ? BCAST : OTHERS
    printf "%s{\"ranks\": 4, \"algorithm\": %d, \"segment_bytes\": %d, \"size_bytes\": %d,",
      (i + k > 2 ? "," : ""), which[1], which[2], size[k]
    printf "\"rounds_ns\": ["
    for (r = 0; r < 8; r++) printf "%s%d", (r > 0 ? "," : ""), ns * speed * (1 + r / 1000)
    print "]}"
  }
  print "]}\n}"
}')sh";

class StackTest : public Sandbox {
 protected:
  void SetUp() override {
    Sandbox::SetUp();
    std::filesystem::create_directory(path("installed"));
    install("ompi_info", "Open MPI v4.1.4");
    install("mpichversion", "MPICH Version: 4.0.2");
    install("ucx_info", "# Version 1.13.1");
  }

  // A command of that name prints this version. For anything else it is the one of this machine.
  void install(const std::string& name, const std::string& version) const {
    script("installed/" + name, "#!/bin/sh\ncase $1 in --version | -v) echo '" + version +
                                    "' ;; *) PATH=${PATH#*:} exec " + name + " \"$@\" ;; esac\n");
  }
  Result tune(std::vector<std::string> arguments, Setting more = {}) const {
    const char* path_here = std::getenv("PATH");
    more.environment.try_emplace("PATH", path("installed") + ":" + path_here);
    return Sandbox::tune(std::move(arguments), more);
  }

  std::string script(const std::string& name, std::string_view text) const {
    const std::string file = write(name, text);
    ::chmod(file.c_str(), 0700);
    return file;
  }
  // `han_ns`: of a Bcast by coll/han, in awk; empty on one node.
  std::string collectives_script(const std::string& name, const std::string& bcast_ns,
                                 const std::string& others_ns, const std::string& han_ns) const {
    std::string text(kCollectivesLauncher);
    text.replace(text.find("BCAST : OTHERS"), 14, bcast_ns + " : " + others_ns);
    const std::string_view second = R"(, \"two\")";
    if (han_ns.empty()) text.replace(text.find(second), second.size(), "");
    text.replace(text.find("HAN"), 3, han_ns.empty() ? "1" : han_ns);
    text.replace(text.find("SEGMENT"), 7, "40000");
    return script(name, text);
  }
  Result sample_collectives(const std::string& launcher) const {
    return sample({"--stack", "openmpi", "--parts", "collectives", "--launcher", launcher, "--db",
                   path("a.db")});
  }
  Result sample_stack(const std::string& launcher) const {
    return sample(
        {"--stack", "openmpi", "--launcher", launcher, "--db", path("a.db"), "--rounds", "5"});
  }
};

TEST_F(StackTest, IsSampledAndItsSettingsAreExportedWithWhatTheyAreWorth) {
  const Result sampled = sample_stack(script("launch", kLauncher));
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  EXPECT_THAT(sampled.err, HasSubstr("launches of up to"));  // beforehand
  const Result exported =
      tune({"export", "openmpi", "--db", path("a.db"), "-o", path("mca-params.conf")});
  ASSERT_EQ(exported.exit_code, 0) << exported.err << exported.out;
  const Fields settings = stacks::read_mca_params(read("mca-params.conf"), "mca-params.conf");
  ASSERT_TRUE(settings.contains("btl_tcp_bandwidth_r0")) << exported.out;
  const double shares = std::stod(settings.at("btl_tcp_bandwidth_r0")) /
                        std::stod(settings.at("btl_tcp_bandwidth_r1"));
  EXPECT_NEAR(shares, 13.3 / 8, 0.05);
  ASSERT_TRUE(settings.contains("btl_tcp_eager_limit")) << exported.out;
  EXPECT_LT(std::stod(settings.at("btl_tcp_eager_limit")), 40'000);
  EXPECT_THAT(read("mca-params.conf"), HasSubstr("replaces btl_tcp_eager_limit=65536"));

  const Result again =
      tune({"export", "openmpi", "--db", path("a.db"), "-o", path("mca-params.conf")});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("--force replaces it"));
  const Result json = tune({"export", "openmpi", "--db", path("a.db"), "--json"});
  EXPECT_EQ(at(document(json), "version"), json::Value("4.1.4"));
}

// The first five launches with weights are slow, by chance.
TEST_F(StackTest, WeightsThatSeemToLoseWhereTheyDoNothingAreTriedAgain) {
  std::string text(kLauncher);
  constexpr std::string_view kAwk = "exec awk ", kEager = "10000 + s * 2";
  text.replace(text.find(kEager), kEager.size(), "(10000 + s * 2) * slow");
  text.replace(text.find(kAwk), kAwk.size(), R"sh(slow=1
if [ -n "$OMPI_MCA_btl_tcp_bandwidth_r0" ] && [ -z "$OMPI_MCA_btl_tcp_latency_r0" ]; then
  echo >>"$HOME/weighted"
  [ "$(wc -l <"$HOME/weighted")" -gt 5 ] || slow=1.2
fi
exec awk -v slow=$slow )sh");
  ASSERT_EQ(sample_stack(script("launch", text)).exit_code, 0);
  const Result exported = tune({"export", "openmpi", "--db", path("a.db")});
  EXPECT_THAT(exported.out, HasSubstr("\nbtl_tcp_bandwidth_r0 = "));
}

TEST_F(StackTest, TellsHowMuchFasterEagerMessagesAre) {
  const Result sampled = sample({"--stack", "openmpi", "--launcher", script("launch", kLauncher),
                                 "--db", path("a.db"), "--rounds", "5", "--json"});
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  const json::Value told = document(sampled);
  std::size_t small = 0, large = 0;
  for (const json::Reader& each : json::Reader(told, "nmad-sample")["protocols"].items()) {
    const double bytes = each["size_bytes"].number(), gain = each["eager_gain"].number();
    small += bytes <= 4096 && gain > 1.5;
    large += bytes >= 65536 && gain < 0.9;
  }
  EXPECT_EQ(small, 10u);  // 32 B to 4 KiB: a rendezvous brings the first 16 bytes along
  EXPECT_EQ(large, 5u);
}

// Launchers of other versions do not tell how many cores ranks have.
TEST_F(StackTest, WarnsWhereRanksOutnumberCores) {
  const std::string_view two = R"(\"ranks\": 2,)";
  for (const auto& [cores, warns] : {std::pair("", false), std::pair(R"( \"cores\": 2,)", false),
                                     std::pair(R"( \"cores\": 1,)", true)}) {
    std::string text(kLauncher);
    text.insert(text.find(two) + two.size(), cores);
    const Result sampled = sample_stack(script("launch", text));
    ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
    const bool warned =
        sampled.err.find("2 ranks on 1 core: small messages measure the scheduler") !=
        std::string::npos;
    EXPECT_EQ(warned, warns) << cores << sampled.err;
  }
}

TEST_F(StackTest, VerbsAreATransportOfTheirOwnWithLimitsOfTheirOwn) {
  std::string text(kLauncher);
  for (const auto& [was, is] : {std::pair("btl_tcp_eager_limit", "btl_openib_eager_limit"),
                                std::pair(R"(\"tcp\")", R"(\"verbs\")")}) {
    for (std::size_t at = 0; (at = text.find(was, at)) != std::string::npos;) {
      text.replace(at, std::string_view(was).size(), is);
    }
  }
  const Result sampled = sample_stack(script("launch", text));
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  EXPECT_THAT(sampled.out, HasSubstr("openmpi/verbs"));
  const Result exported =
      tune({"export", "openmpi", "--db", path("a.db"), "-o", path("mca-params.conf")});
  ASSERT_EQ(exported.exit_code, 0) << exported.err << exported.out;
  const Fields settings = stacks::read_mca_params(read("mca-params.conf"), "mca-params.conf");
  EXPECT_TRUE(settings.contains("btl_openib_eager_limit")) << exported.out;
  EXPECT_FALSE(settings.contains("btl_tcp_bandwidth_r0")) << "weights are of TCP";
}

TEST_F(StackTest, WhereUcxCarriesOpenMpisMessagesItSaysWhichCommandMeasuresThat) {
  std::string text(kLauncher);
  const std::string_view none = R"(\"messages_by\": \"\")";
  text.replace(text.find(none), none.size(), R"(\"messages_by\": \"ucx\")");
  const std::string_view moved = "limit - 56";
  text.replace(text.find(moved), moved.size(), "65480");
  const Result sampled = sample_stack(script("launch", text));
  EXPECT_EQ(sampled.exit_code, 2);
  EXPECT_THAT(sampled.err, HasSubstr("sends its messages by ucx"));
  EXPECT_THAT(sampled.err, HasSubstr("btl_tcp_eager_limit=72 did not move the size"));
  EXPECT_THAT(sampled.err, HasSubstr("--stack ucx"));
}

// As Open MPI 5 is built: no file that is mapped says who carries the messages.
TEST_F(StackTest, ALimitWithoutEffectIsRefusedWhoeverCarriesTheMessages) {
  std::string text(kLauncher);
  const std::string_view moved = "limit - 56";
  text.replace(text.find(moved), moved.size(), "65480");
  const Result sampled = sample_stack(script("launch", text));
  EXPECT_EQ(sampled.exit_code, 2);
  EXPECT_THAT(sampled.err, HasSubstr("did not move the size from which messages of other-node"));
}

TEST_F(StackTest, AbComparesNoRailThatNoSettingConcerns) {
  std::string text(kLauncher);
  text.insert(text.find(R"(printf "], \"eager)"),
              R"(for (i = 1; i <= n; i++) printf ",{\"placement\": \"same-node\", )"
              R"(\"size_bytes\": %d, \"batch\": 1, \"totals_ns\": [900, 901]}", size[i]; )");
  ASSERT_EQ(sample_stack(script("launch", text)).exit_code, 0);
  const Result ab = tune({"ab", "openmpi", "--launcher", path("launch"), "--db", path("a.db")});
  EXPECT_THAT(ab.out, HasSubstr("openmpi/shm\nnot compared: no setting concerns it\n"));
}

// The same machine a year later: what was worth it makes large messages slower now.
TEST_F(StackTest, SettingsThatLoseAnAbAreWithdrawnFromTheExport) {
  ASSERT_EQ(sample_stack(script("launch", kLauncher)).exit_code, 0);
  const Result won = tune({"ab", "openmpi", "--launcher", path("launch"), "--rounds", "5", "--db",
                           path("a.db"), "--json"});
  ASSERT_EQ(won.exit_code, 0) << won.err;
  EXPECT_EQ(at(document(won), "withdrawn"), json::Value::array());

  std::string changed(kLauncher);
  const std::string_view shares = "a = s * w0 / (w0 + w1) * 8; b = s * w1 / (w0 + w1) * 13.3";
  changed.replace(changed.find(shares), shares.size(), "a = s * (w0 == w1 ? 5 : 5.6); b = 0");
  const Result lost = tune({"ab", "openmpi", "--launcher", script("changed", changed), "--rounds",
                            "5", "--db", path("a.db"), "--json"});
  ASSERT_EQ(lost.exit_code, 0) << lost.err;
  EXPECT_EQ(at(document(lost), "withdrawn.0"), json::Value("weights")) << lost.out;
  const Result exported = tune({"export", "openmpi", "--db", path("a.db"), "--json"});
  const json::Value content = at(document(exported), "files.0.content");
  ASSERT_NE(content.get_if<std::string>(), nullptr) << exported.out;
  const std::string& file = *content.get_if<std::string>();
  EXPECT_THAT(file, HasSubstr("# left out: btl_tcp_bandwidth_r0"));

  const Result own = tune({"ab", "openmpi", "--launcher", path("changed"), "--rounds", "5", "--db",
                           path("a.db"), "--", "true"});
  EXPECT_EQ(own.exit_code, 0) << own.err;
  EXPECT_THAT(own.out, HasSubstr("openmpi/program"));
}

// Messages that UCX copies cost 2 ns for a byte, those that it does not 4 us and 1 ns; by default
// it copies up to 32 KiB.
TEST_F(StackTest, WhereUcxStopsCopyingIsExportedIfThatPays) {
  std::string text(kLauncher);
  const std::string_view ns = "ns = s + 56 <= limit ? 10000 + s * 2 : 30000 + (a > b ? a : b) / 8";
  text.replace(text.find(ns), ns.size(), R"(
    z = ("UCX_ZCOPY_THRESH" in ENVIRON) ? ENVIRON["UCX_ZCOPY_THRESH"] + 0 : 32768
    r = ("UCX_RNDV_THRESH" in ENVIRON) ? ENVIRON["UCX_RNDV_THRESH"] + 0 : 65536
    limit = r + 55
    ns = s >= r ? 30000 + s * 0.9 : (s < z ? 10000 + s * 2 : 14000 + s))");
  const Result sampled = sample({"--stack", "ucx", "--launcher", script("launch", text), "--db",
                                 path("a.db"), "--rounds", "5"});
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  const Result exported = tune({"export", "ucx", "--db", path("a.db"), "-o", path("ucx.conf")});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  const Fields settings = stacks::read_ucx_conf(read("ucx.conf"), "ucx.conf");
  ASSERT_TRUE(settings.contains("UCX_ZCOPY_THRESH")) << exported.out;
  const double copied_bytes = std::stod(settings.at("UCX_ZCOPY_THRESH"));
  EXPECT_GT(copied_bytes, 2900);  // they cross at 4000
  EXPECT_LT(copied_bytes, 6200);
}

// Over TCP, rendezvous pays from 20 KB on, in shared memory from 6 KB on; UCX before 1.17 has one
// threshold for both.
TEST_F(StackTest, OneThresholdForTwoTransportsIsAlsoTriedWhereItCostsThemLeastTogether) {
  std::string text(kLauncher);
  const std::string_view ns = "ns = s + 56 <= limit ? 10000 + s * 2 : 30000 + (a > b ? a : b) / 8";
  text.replace(text.find(ns), ns.size(), R"(
    r = ("UCX_RNDV_THRESH" in ENVIRON) ? ENVIRON["UCX_RNDV_THRESH"] + 0 : 65536
    limit = r + 55
    ns = s >= r ? 30000 + s : 10000 + s * 2
    here[i] = s >= r ? 4000 + s * 0.5 : 1000 + s)");
  text.insert(text.find(R"(printf "], \"eager)"),
              R"(for (i = 1; i <= n; i++) printf ",{\"placement\": \"same-node\", )"
              R"(\"size_bytes\": %d, \"batch\": 1, \"totals_ns\": [%d, %d]}", size[i], )"
              R"(here[i] * speed, here[i] * speed * 1.001; )");
  const std::string_view eager = R"(%d}],", limit - 56)";
  text.replace(text.find(eager), eager.size(),
               R"(%d}, {\"placement\": \"same-node\", \"bytes_max\": %d}],", )"
               "limit - 56, limit - 56");
  const Result sampled = sample({"--stack", "ucx", "--launcher", script("launch", text), "--db",
                                 path("a.db"), "--rounds", "5"});
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  EXPECT_THAT(sampled.err,
              AllOf(HasSubstr("UCX_RNDV_THRESH is one setting for 2 transports: UCX_RNDV_THRESH="),
                    HasSubstr(" together, and is tried as well")));
}

TEST_F(StackTest, RulesThatLoseAnAbAreWithdrawnByOperation) {
  const std::string launcher = collectives_script("launch", "30000", "30000", "");
  ASSERT_EQ(sample_collectives(launcher).exit_code, 0);
  const Result won = tune(
      {"ab", "openmpi", "--launcher", launcher, "--rounds", "5", "--db", path("a.db"), "--json"});
  ASSERT_EQ(won.exit_code, 0) << won.err;
  EXPECT_EQ(at(document(won), "withdrawn"), json::Value::array());
  EXPECT_EQ(at(document(won), "collectives.0.ranks"), json::Value(4)) << won.out;
  EXPECT_THAT(won.err, HasSubstr("50 of collectives"));  // beforehand

  const std::string changed = collectives_script("changed", "60000", "30000", "");
  const Result lost = tune(
      {"ab", "openmpi", "--launcher", changed, "--rounds", "5", "--db", path("a.db"), "--json"});
  ASSERT_EQ(lost.exit_code, 0) << lost.err;
  EXPECT_EQ(at(document(lost), "withdrawn"), json::Value::array().push_back("bcast")) << lost.out;
  const Result exported =
      tune({"export", "openmpi", "--db", path("a.db"), "-o", path("conf") + "/"});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_THAT(read("conf/mca-params.conf"), HasSubstr("left out: bcast on 4 ranks: rules were"));
  const stacks::TunedRules rules =
      stacks::read_tuned_rules(read("conf/coll_tuned_rules.conf"), "rules", "4.1.4");
  EXPECT_FALSE(rules.contains("bcast"));
  EXPECT_TRUE(rules.contains("alltoall"));
  for (const std::string& file : files()) EXPECT_THAT(file, Not(HasSubstr(".rules")));
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

  std::string version_ = "5.0.7", priority_ = "35", han_ns_ = "60000";
};

TEST_F(WhereHanIsThere, ItsRulesHandOnWhatTunedDoesBetter) {
  const Fields settings = exported(launcher(""));
  const stacks::HanRules rules = stacks::read_han_rules(read("conf/coll_han_rules.conf"), "rules");
  EXPECT_EQ(rules.at("bcast").at(4), (std::vector<stacks::HanRule>{{0, "tuned"}}));
  EXPECT_FALSE(rules.contains("alltoall"));  // which coll/han does not have
  EXPECT_TRUE(stacks::read_tuned_rules(read("conf/coll_tuned_rules.conf"), "rules", "5.0.7")
                  .contains("alltoall"));
  EXPECT_EQ(settings.at("coll_han_use_dynamic_file_rules"), "1");
  EXPECT_THAT(settings.at("coll_han_dynamic_rules_filename"), HasSubstr("/conf/coll_han_rules"));
  EXPECT_EQ(settings.at("coll_han_priority"), "35");
  EXPECT_FALSE(settings.contains("coll_han_bcast_segsize"));
}

TEST_F(WhereHanIsThere, AnotherSegmentOfItIsExportedWhereThatPays) {
  const Fields settings = exported(launcher("", "20000"));
  const stacks::HanRules rules = stacks::read_han_rules(read("conf/coll_han_rules.conf"), "rules");
  EXPECT_EQ(rules.at("bcast").at(4), (std::vector<stacks::HanRule>{{0, "han"}}));
  EXPECT_EQ(rules.at("reduce").at(4), (std::vector<stacks::HanRule>{{0, "tuned"}}));
  EXPECT_EQ(settings.at("coll_han_bcast_segsize"), "16384");
  EXPECT_FALSE(settings.contains("coll_han_reduce_segsize"));
}

// UCC would win, but the rules of coll/han cannot name it.
TEST_F(WhereHanIsThere, ComponentsThatTheLibraryListsCompeteWhereItsRulesCanNameThem) {
  launcher(R"(, \"coll_%_priority\": \"adapt,basic,han,libnbc,self,tuned,ucc\")");
  std::string text = read("launch");
  text.insert(text.find("      if (component[which[1] - 98] == \"han\""),
              "      if (component[which[1] - 98] == \"ucc\") ns = 1\n"
              "      if (component[which[1] - 98] == \"adapt\")\n"
              "        ns = value[\"operation:\"] == \"bcast\" ? 10000 : 52000\n");
  exported(script("launch", text));
  const stacks::HanRules rules = stacks::read_han_rules(read("conf/coll_han_rules.conf"), "rules");
  EXPECT_EQ(rules.at("bcast").at(4), (std::vector<stacks::HanRule>{{0, "adapt"}}));
  EXPECT_EQ(rules.at("reduce").at(4), (std::vector<stacks::HanRule>{{0, "tuned"}}));
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
  const stacks::HanRules rules = stacks::read_han_rules(read("conf/coll_han_rules.conf"), "rules");
  EXPECT_EQ(rules.at("bcast").at(4), (std::vector<stacks::HanRule>{{0, "han"}, {512, "tuned"}}));
  for (const std::string operation : {"allgatherv", "barrier", "gather", "reduce", "scatter"}) {
    EXPECT_EQ(rules.at(operation).at(1), (std::vector<stacks::HanRule>{{0, "tuned"}})) << operation;
  }
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

// Rules for MPICH are its library's own tables, with what was measured in them.
TEST_F(StackTest, MpichsTablesAreExportedAndWithdrawnByOperation) {
  const std::string library = write("libmpi.so", planted_mpich_library());
  const auto launcher = [&](const std::string& name, const std::string& bcast_ns) {
    collectives_script(name, bcast_ns, "30000", "");
    std::string text = read(name);
    const std::string_view openmpi = "Open MPI v4.1.4", place = "LIBRARY";
    text.replace(text.find(openmpi), openmpi.size(), "MPICH Version: 4.0.2");
    text.replace(text.find(place), place.size(), library);
    return script(name, text);
  };
  const auto command = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--db", path("a.db")});
    return words;
  };
  const Result sampled = sample(command(
      {"--stack", "mpich", "--parts", "collectives", "--launcher", launcher("launch", "30000")}));
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

  const Result lost = tune(command(
      {"ab", "mpich", "--launcher", launcher("changed", "60000"), "--rounds", "5", "--json"}));
  ASSERT_EQ(lost.exit_code, 0) << lost.err;
  EXPECT_EQ(at(document(lost), "withdrawn"), json::Value::array().push_back("bcast")) << lost.out;
  tune(command({"export", "mpich", "-o", path("again") + "/"}));
  EXPECT_THAT(read("again/mpich.env"), HasSubstr("left out: bcast on 4 ranks: rules were"));
  for (const std::string& file : files()) EXPECT_THAT(file, Not(HasSubstr(".rules")));

  write("libmpi.so", "another build");
  const Result without = tune(command({"export", "mpich"}));
  EXPECT_EQ(without.exit_code, 0) << without.err;
  EXPECT_THAT(without.out, HasSubstr("left out: rules for collectives: " + library));
}

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

// UCX carries MPICH's messages; an MPICH may have a UCX of its own.
TEST_F(StackTest, AUcxBelowMpichThatWasUpdatedSinceIsWarnedOfWithBothVersions) {
  std::string text(kLauncher);
  const std::string_view ns = "ns = s + 56 <= limit ? 10000 + s * 2 : 30000 + (a > b ? a : b) / 8";
  text.replace(text.find(ns), ns.size(), R"(
    r = ("UCX_RNDV_THRESH" in ENVIRON) ? ENVIRON["UCX_RNDV_THRESH"] + 0 : 65536
    limit = r + 55
    ns = s >= r ? 30000 + s * 0.9 : 10000 + s * 2)");
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
