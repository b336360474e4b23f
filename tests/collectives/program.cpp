// SPDX-License-Identifier: BSD-3-Clause
#include "tests/collectives/program.h"

#include <map>
#include <regex>

#include "node/node.h"
#include "runtime/compile.h"

namespace nmt::testing {

std::string InFrontOfMpi::library_of(const std::string& mpi) {
  return mpi == "openmpi" ? NMT_INTERPOSED_OPENMPI : NMT_INTERPOSED_MPICH;
}

void InFrontOfMpi::SetUp() {
  Sandbox::SetUp();
  library_ = library_of(GetParam());
  if (library_.empty()) GTEST_SKIP() << GetParam() << " is missing";
}

std::string InFrontOfMpi::compile(const std::string& compiler, const std::string& source,
                                  const std::string& flags, const std::string& name) const {
  const std::string program = path(name);
  const Result made = run({"sh", "-c",
                           compiler + "." + GetParam() + " -O1 -I" NMT_SOURCES "/../.. " + flags +
                               " " NMT_SOURCES "/" + source + " -o " + program});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  return program;
}

std::vector<std::string> InFrontOfMpi::job_command(const std::vector<std::string>& program,
                                                   int ranks, bool in_front) const {
  std::vector<std::string> command;
  if (GetParam() == "openmpi") {
    command = {"mpirun.openmpi", "--oversubscribe",     "--bind-to", "none",
               "--mca",          "mpi_yield_when_idle", "1"};
  } else {
    command = {"mpiexec.hydra"};
  }
  command.insert(command.end(), {"-n", std::to_string(ranks), "env"});
  // MPICH's ranks else never yield a core, and there are more ranks than cores.
  std::string preloaded = GetParam() == "mpich" ? NMT_YIELDING_UCX : "";
  if (in_front) preloaded.insert(0, library_ + (preloaded.empty() ? "" : ":"));
  command.push_back("LD_PRELOAD=" + preloaded);
  command.insert(command.end(), program.begin(), program.end());
  return command;
}

InFrontOfMpi::Environment InFrontOfMpi::environment(Environment more) const {
  more["OMPI_ALLOW_RUN_AS_ROOT"] = more["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
  more.try_emplace("NMADTUNE_DB", path("none.db"));
  return more;
}

Result InFrontOfMpi::job(const std::vector<std::string>& program, int ranks,
                         const Environment& more, bool in_front, double deadline_s) const {
  return Process(job_command(program, ranks, in_front), {.environment = environment(more)})
      .wait(deadline_s);
}

bool InFrontOfMpi::failed(const Result& result) const {
  return result.exit_code != 0 || loses_exit_codes(GetParam());
}

std::string InFrontOfMpi::mpi_name() const {
  static std::map<std::string, std::string> names;
  std::string& name = names[GetParam()];
  if (name.empty()) name = run({compile("mpicc", "print_mpi.c", "", "print_mpi")}).out;
  return name;
}

std::string InFrontOfMpi::write_profile(std::vector<SegmentRule> rules,
                                        const Fields& differs) const {
  Plan plan;
  plan.platform = Id::random();
  plan.segments = std::move(rules);
  for (SegmentRule& rule : plan.segments) {
    if (rule.mpi.empty()) rule.mpi = mpi_name();
  }
  runtime::Provenance of{.platform = {.id = plan.platform,
                                      .name = "planted",
                                      .fingerprint = node::cheap_fingerprint()},
                         .measured_utc = "2026-11-21T10:30:00Z",
                         .tool_version = "0.1.0",
                         .complete = true,
                         .quality = 0.99};
  for (const auto& [name, value] : differs) of.platform.fingerprint[name] = value;
  const runtime::Storage storage = nmt::runtime::compile(of, plan);
  return write("profile.nmt",
               {reinterpret_cast<const char*>(storage.bytes().data()), storage.bytes().size()});
}

bool loses_exit_codes(const std::string& mpi) {
  if (mpi != "mpich") return false;
  static const std::string version = run({"mpiexec.hydra", "--version"}).out;
  return std::regex_search(version, std::regex("Version: +4\\.2\\."));
}

int count(const std::string& text, const std::string& what) {
  int times = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++times;
  return times;
}

}  // namespace nmt::testing
