// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-sample --stack and nmad-tune export, over jobs whose times are planted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/json.h"
#include "stacks/stacks.h"
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

}  // namespace
}  // namespace nmt::testing
