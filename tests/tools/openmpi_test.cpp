// SPDX-License-Identifier: BSD-3-Clause
//
// What is exported to Open MPI, and to UCX and libfabric below it, acts in jobs of the real one: a
// limit that is forced moves the size from which messages ask first.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/version.h"
#include "sampler/stack/launch_messages.h"
#include "stacks/stacks.h"
#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;

class OpenMpi : public Sandbox {
 protected:
  void SetUp() override {
    Sandbox::SetUp();
    version_ = version_in(run({"mpirun.openmpi", "--version"}).out);
    if (version_.empty()) GTEST_SKIP() << "no mpirun.openmpi";
  }

  // Two ranks here, of which rank 0 prints what it finds.
  Result job_of(const std::string& stack, const Fields& settings, const Fields& more = {}) const {
    Setting setting{
        .environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}}};
    for (const Fields& each :
         {sampler::environment_of(stacks::find_stack(stack), settings), more}) {
      for (const auto& [name, value] : each) setting.environment[name] = value;
    }
    return run({"mpirun.openmpi", "-n", "2", "--oversubscribe", NMAD_SAMPLE, "--stack", stack,
                "--json", "--quiet", "--turn", "sizes:1/eager:1/variables:pml_%_priority"},
               setting);
  }

  // Null where the job cannot start.
  json::Value round_of(const std::string& stack, const Fields& settings,
                       const Fields& more = {}) const {
    const Result result = job_of(stack, settings, more);
    return result.exit_code == 0 ? document(result) : json::Value();
  }

  static double eager_bytes(const Result& result) {
    return number(document(result), "turn.eager.0.bytes_max");
  }

  std::string version_;
};

TEST_F(OpenMpi, TellsWhichComponentCarriesItsMessages) {
  for (const auto& [pml, told] :
       {std::pair("ob1", ""), std::pair("ucx", "ucx"), std::pair("cm", "cm")}) {
    const std::string stack = *told == '\0'               ? "openmpi"
                              : pml == std::string("ucx") ? "ucx"
                                                          : "libfabric";
    const json::Value round = round_of(stack, {}, {{"OMPI_MCA_pml", pml}});
    if (round == json::Value()) continue;  // it was built without
    EXPECT_EQ(at(round, "messages_by"), json::Value(told)) << pml;
  }
}

TEST_F(OpenMpi, AForcedLimitOfEachStackMovesTheSizeFromWhichMessagesAskFirst) {
  std::string not_measured;
  for (const std::string stack : {"openmpi", "ucx", "libfabric"}) {
    const Result usual = job_of(stack, {});
    if (usual.exit_code != 0) {
      not_measured +=
          fmt::format(" {}: a job of it ends by {}: {}", stack, usual.exit_code, usual.err);
      continue;
    }
    const json::Value ucx = at(document(usual), "ucx_version");
    const std::string* version = ucx.get_if<std::string>();
    const stacks::Stack forced =
        stacks::for_ucx_version(stacks::find_stack(stack), version != nullptr ? *version : "");
    const Result moved = job_of(stack, forced.eager_up_to(stacks::Transport::kShm, 1000, 0));
    ASSERT_EQ(moved.exit_code, 0) << stack << ": " << moved.err;
    EXPECT_GT(eager_bytes(usual), 1100) << stack;
    EXPECT_LE(eager_bytes(moved), 1000) << stack;
    EXPECT_GT(eager_bytes(moved), 100) << stack;
  }
  if (!not_measured.empty()) GTEST_SKIP() << "not measured:" << not_measured;
}

// Where UCX carries the messages, a limit of Open MPI's own does nothing.
TEST_F(OpenMpi, ALimitOfAComponentThatIsNotInUseIsRefused) {
  if (round_of("ucx", {}) == json::Value()) GTEST_SKIP() << "this Open MPI is without UCX";
  Setting setting{.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                  {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                  {"OMPI_MCA_pml", "ucx"},
                                  {"OMPI_MCA_opal_common_ucx_tls", "any"},
                                  {"OMPI_MCA_opal_common_ucx_devices", "any"}}};
  const Result refused =
      sample({"--stack", "openmpi", "--launcher", "mpirun.openmpi -n 2 --oversubscribe", "--db",
              path("a.db"), "--max-size", "4K"},
             setting);
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("sends its messages by ucx"));
  EXPECT_THAT(refused.err, HasSubstr("--stack ucx"));
}

}  // namespace
}  // namespace nmt::testing
