// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample --stack and nmad-tune export, over jobs whose times are planted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/json.h"
#include "stacks/stacks.h"
#include "tests/stacks/planted_mpich.h"
#include "tests/tools/planted_stack.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

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
    EXPECT_GT(bytes, 16) << "sent the same way";
    small += bytes <= 4096 && gain > 1.5;
    large += bytes >= 65536 && gain < 0.9;
  }
  EXPECT_EQ(small, 10u);  // 32 B to 4 KiB: a rendezvous brings the first 16 bytes along
  EXPECT_EQ(large, 5u);
}

TEST_F(StackTest, TriesNoLimitWhereOnlyProtocolsAreAskedFor) {
  const Result sampled =
      sample({"--stack", "openmpi", "--launcher", script("launch", kLauncher), "--db", path("a.db"),
              "--rounds", "5", "--parts", "protocols", "--json"});
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  EXPECT_FALSE(json::Reader(document(sampled), "nmad-sample")["protocols"].items().empty());
  const Result exported = tune({"export", "openmpi", "--db", path("a.db")});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_THAT(exported.out, Not(HasSubstr("btl_tcp_eager_limit")));
}

// A rendezvous is cheap only where all messages ask first.
TEST_F(StackTest, ALimitThatLosesIsTriedAgainNearerToTheStacksOwn) {
  const std::string text = launcher_with(R"(
    asking = limit == 72 ? 10500 : 30000
    ns = s + 56 <= limit ? 10000 + s * 2 : asking + (a > b ? a : b) / 8)");
  const Result sampled = sample_stack(script("launch", text));
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  const Result exported =
      tune({"export", "openmpi", "--db", path("a.db"), "-o", path("mca-params.conf")});
  ASSERT_EQ(exported.exit_code, 0) << exported.err << exported.out;
  const Fields settings = stacks::read_mca_params(read("mca-params.conf"), "mca-params.conf");
  ASSERT_TRUE(settings.contains("btl_tcp_eager_limit")) << exported.out;
  EXPECT_GT(std::stod(settings.at("btl_tcp_eager_limit")), 10'000);  // they cross at 14500
  EXPECT_LT(std::stod(settings.at("btl_tcp_eager_limit")), 24'000);
}

// As UCX sends up to 683 KiB eagerly over TCP.
TEST_F(StackTest, ForcesEagerMessagesBeyondTheSizeWhereTheStackItselfChanges) {
  std::string text(kLauncher);
  for (const std::string_view was : {":-65536", R"(\"65536\")"}) {
    std::string is(was);
    is.replace(is.find("65536"), 5, "700000");
    text.replace(text.find(was), was.size(), is);
  }
  const Result sampled = sample({"--stack", "openmpi", "--launcher", script("launch", text), "--db",
                                 path("a.db"), "--rounds", "5", "--json"});
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  double most_bytes = 0;
  const json::Value told = document(sampled);
  for (const json::Reader& each : json::Reader(told, "nmad-sample")["protocols"].items()) {
    most_bytes = std::max(most_bytes, each["size_bytes"].number());
  }
  EXPECT_EQ(most_bytes, 1 << 20);
}

// A component that always asks first: its limit can only be seen to act where it is raised.
TEST_F(StackTest, ALimitThatSendsNothingEagerlyIsRefusedUnlessItActsWhereItIsRaised) {
  for (const auto& [bytes, exit_code] :
       {std::pair("0", 2), std::pair("(limit == 65536 ? 48 : limit - 65488)", 0)}) {
    std::string text(kLauncher);
    const std::string_view reported = "limit - 56";
    text.replace(text.find(reported), reported.size(), bytes);
    const Result sampled = sample_stack(script("launch", text));
    EXPECT_EQ(sampled.exit_code, exit_code) << bytes << sampled.err;
    if (exit_code == 0) continue;
    EXPECT_THAT(sampled.err, HasSubstr("did not move the size from which messages of other-node"));
  }
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

// Jobs also send messages within a node, which take here[i]. `ends`: the largest eager messages
// between nodes and within one.
void add_same_node(std::string& text, const std::string& ends) {
  text.insert(text.find(R"(printf "], \"eager)"),
              R"(for (i = 1; i <= n; i++) printf ",{\"placement\": \"same-node\", )"
              R"(\"size_bytes\": %d, \"batch\": 1, \"totals_ns\": [%d, %d]}", size[i], )"
              R"(here[i] * speed, here[i] * speed * 1.001; )");
  const std::string_view eager = R"(%d}],", limit - 56)";
  text.replace(text.find(eager), eager.size(),
               R"(%d}, {\"placement\": \"same-node\", \"bytes_max\": %d}],", )" + ends);
}

// Messages that UCX copies cost 2 ns for a byte, those that it does not 4 us and 1 ns; by default
// it copies up to 32 KiB.
TEST_F(StackTest, WhereUcxStopsCopyingIsExportedIfThatPays) {
  std::string text = launcher_with(R"(
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
  std::string text = launcher_with(R"(
    r = ("UCX_RNDV_THRESH" in ENVIRON) ? ENVIRON["UCX_RNDV_THRESH"] + 0 : 65536
    limit = r + 55
    ns = s >= r ? 30000 + s : 10000 + s * 2
    here[i] = s >= r ? 4000 + s * 0.5 : 1000 + s)");
  add_same_node(text, "limit - 56, limit - 56");
  const Result sampled = sample({"--stack", "ucx", "--launcher", script("launch", text), "--db",
                                 path("a.db"), "--rounds", "5"});
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  EXPECT_THAT(sampled.err,
              AllOf(HasSubstr("UCX_RNDV_THRESH is one setting for 2 transports: UCX_RNDV_THRESH="),
                    HasSubstr(" together, and is tried as well")));
}

// UCX from 1.17 on has one threshold for each.
std::string launcher_of_two_thresholds() {
  std::string text = launcher_with(R"(
    inter = key("inter:"); intra = key("intra:")
    ns = s >= inter ? 30000 + s : 10000 + s * 2
    here[i] = s >= intra ? 4000 + s * 0.5 : 1000 + s)");
  const std::string_view begin = "\nBEGIN {", network = R"(\"network\")";
  text.insert(text.find(begin), R"(
function key(name, value, at) {
  value = ENVIRON["UCX_RNDV_THRESH"]
  at = index(value, name)
  if (at == 0) return 65536
  value = substr(value, at + length(name))
  return value ~ /^auto/ ? 65536 : value + 0
})");
  text.insert(text.find(network), R"(\"ucx_version\": \"1.18.1\", )");
  add_same_node(text, "inter - 1, intra - 1");
  return text;
}

TEST_F(StackTest, EachOfTheTwoThresholdsOfUcxIsExportedWhereItPays) {
  install("ucx_info", "# Version 1.18.1");
  const Result sampled =
      sample({"--stack", "ucx", "--launcher", script("launch", launcher_of_two_thresholds()),
              "--db", path("a.db"), "--rounds", "7"});
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  const Result exported = tune({"export", "ucx", "--db", path("a.db"), "-o", path("ucx.conf")});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  const Fields settings = stacks::read_ucx_conf(read("ucx.conf"), "ucx.conf");
  ASSERT_TRUE(settings.contains("UCX_RNDV_THRESH")) << exported.out;
  const std::string both = settings.at("UCX_RNDV_THRESH");
  const auto bytes_of = [&](const std::string& name) {
    return std::stod(both.substr(both.find(name) + name.size()));
  };
  ASSERT_THAT(both, AllOf(HasSubstr("inter:"), HasSubstr("intra:")));
  EXPECT_GT(bytes_of("inter:"), 14'000);  // they cross at 20000
  EXPECT_LT(bytes_of("inter:"), 28'000);
  EXPECT_GT(bytes_of("intra:"), 4'000);  // and at 6000
  EXPECT_LT(bytes_of("intra:"), 9'000);
}

TEST_F(StackTest, AThresholdOfAnOlderUcxDoesNotOutliveAnUpdate) {
  std::string older = launcher_with(kOneThreshold);
  older.insert(older.find(R"(\"network\")"), R"(\"ucx_version\": \"1.13.1\", )");
  const auto exported_after = [&](const std::string& launcher, const std::string& rounds) {
    const Result sampled = sample({"--stack", "ucx", "--launcher", script("launch", launcher),
                                   "--db", path("a.db"), "--rounds", rounds});
    EXPECT_EQ(sampled.exit_code, 0) << sampled.err;
    const Result exported =
        tune({"export", "ucx", "--db", path("a.db"), "-o", path("ucx.conf"), "--force"});
    EXPECT_EQ(exported.exit_code, 0) << exported.err;
    return stacks::read_ucx_conf(read("ucx.conf"), "ucx.conf")["UCX_RNDV_THRESH"];
  };
  EXPECT_THAT(exported_after(older, "5"), MatchesRegex("[0-9]+"));
  install("ucx_info", "# Version 1.18.1");
  EXPECT_THAT(exported_after(launcher_of_two_thresholds(), "7"),
              MatchesRegex("inter:[0-9]+,intra:[0-9]+"));
  EXPECT_THAT(read("ucx.conf"),
              HasSubstr("left out: settings that were measured under other versions than 1.18.1"));
}

// libfabric carries the messages of Open MPI. Jobs tell two numbers of its version, fi_info three.
TEST_F(StackTest, LibfabricIsSampledInJobsOfOpenMpiAndExported) {
  std::string text = launcher_with(R"(
    name = "FI_OFI_RXM_BUFFER_SIZE"
    limit = (name in ENVIRON ? ENVIRON[name] : 65536) + 56
    ns = s + 56 <= limit ? 10000 + s * 2 : 30000 + s * 0.9)");
  const std::string_view network = R"(\"network\")";
  text.insert(text.find(network), R"(\"libfabric_version\": \"1.18\", )");
  install("fi_info", "fi_info: 1.18.1");
  const Result sampled = sample({"--stack", "libfabric", "--launcher", script("launch", text),
                                 "--db", path("a.db"), "--rounds", "5"});
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  EXPECT_THAT(sampled.out, HasSubstr("Intervals from 5 rounds are of 94 %"));
  const std::vector<std::string> command = {"export", "libfabric", "--db", path("a.db")};
  const Result exported = tune(command);
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_THAT(exported.out, AllOf(HasSubstr("export FI_OFI_RXM_BUFFER_SIZE="),
                                  HasSubstr("export FI_OFI_RXM_SAR_LIMIT=0")));
  const Result compared = tune(
      {"ab", "libfabric", "--launcher", path("launch"), "--rounds", "7", "--db", path("a.db")});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_THAT(compared.out, Not(HasSubstr("are of 94 %")));
  install("fi_info", "fi_info: 1.19.0");
  EXPECT_EQ(tune(command).exit_code, 7);
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

  const Result part = tune(command({"export", "mpich", "--for", "4.0", "-o", path("4.0") + "/"}));
  EXPECT_EQ(part.exit_code, 0) << part.err;
  EXPECT_EQ(stacks::read_selection(read("4.0/mpich_algorithms.json"), "rules"), rules);

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

}  // namespace
}  // namespace nmt::testing
