// SPDX-License-Identifier: BSD-3-Clause
//
// libnmadtune-mpi.so in front of some ranks of a job only: the job ends with the reason, and no
// rank goes on with what is not its own.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/collectives/program.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class OfSomeRanks : public InFrontOfMpi {
 protected:
  // Of three ranks, the first or the others have the library. One command for all: mpirun of Open
  // MPI 5.0.7 ends by SIGSEGV where a job has several (open-mpi/ompi, issue 13303).
  Result mixed(const std::string& program, const std::string& first_call, bool first) const {
    const std::string rank = GetParam() == "openmpi" ? "$OMPI_COMM_WORLD_RANK" : "$PMI_RANK";
    const std::string ranks = path(first_call + (first ? ".first" : ".others"));
    std::vector<std::string> command = job_command(
        {"bash", "-c",  // which takes a descriptor that the launcher does not use
         fmt::format("exec {{pipe}}>{}; echo here >&$pipe; [ {} {} 0 ] && export LD_PRELOAD={}; "
                     "exec {} {}",
                     ranks, rank, first ? "-eq" : "-ne", library_, program, first_call)},
        3, false);
    // On a busy machine mpirun can deadlock in PMIx_server_finalize (libpmix 4.2) when all ranks of
    // an aborted job have ended: then it is ended three seconds after they have closed their pipe.
    const std::string end_with_ranks = fmt::format(
        "mkfifo {0}; \"$@\" & job=$!; {{ read here; read here; read here; read here; }} <{0}; "
        "for i in 1 2 3 4 5 6; do kill -0 $job 2>/dev/null && sleep 0.5; done; "
        "kill -KILL $job 2>/dev/null; wait $job",
        ranks);
    command.insert(command.begin(), {"bash", "-c", end_with_ranks, "job"});
    return run(command, {.environment = environment({{"NMADTUNE_MPI", "always"}})});
  }
};

TEST_P(OfSomeRanks, TheJobEndsWithTheReasonWhateverTheOthersCallFirst) {
  const std::string program = compile("mpicc", "first_call.c");
  const std::vector<std::string> calls = {"bcast", "allgather", "iallgather", "dup", "receive"};
  std::vector<Result> results(2 * calls.size());
  std::vector<std::jthread> jobs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    jobs.emplace_back([&, i] { results[i] = mixed(program, calls[i / 2], i % 2 == 0); });
  }
  jobs.clear();
  for (std::size_t i = 0; i < results.size(); ++i) {
    SCOPED_TRACE(calls[i / 2] + (i % 2 == 0 ? ", the first has it: " : ", the others have it: ") +
                 results[i].err);
    EXPECT_TRUE(failed(results[i]));
    EXPECT_THAT(results[i].out, Not(HasSubstr("wrong")));
    EXPECT_THAT(results[i].err, HasSubstr("LD_PRELOAD must reach all of them"));
  }
}

INSTANTIATE_TEST_SUITE_P(Mpis, OfSomeRanks, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
