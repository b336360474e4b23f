// SPDX-License-Identifier: BSD-3-Clause
//
// What comes out of calls, valid ones and others, is the same with libnmadtune-mpi.so in front of
// the MPI and without: each error class and each byte (outcomes.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "tests/collectives/program.h"

namespace nmt::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kRanks = 3;
constexpr int kFewRanks = 2;  // of thousands of calls
constexpr int kManyCalls = 50;
constexpr int kWarmUpCalls = 1;     // of each operation
constexpr double kDeadlineS = 140;  // of a job; four of them end before the test does
const std::vector<std::string> kReductions = {"reduce", "allreduce"};
const std::vector<std::string> kWaysToCopy = {"", "shared", "messages"};

// An MPI's own reductions take as much memory on each rank as they reduce.
bool has_memory(std::size_t gib) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  for (std::size_t kib = 0; file >> name >> kib; file.ignore(64, '\n')) {
    if (name == "MemAvailable:") return kib >> 20 >= gib;
  }
  return false;
}

class Outcome : public InFrontOfMpi {
 protected:
  std::vector<std::string> program(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(),
                     GetParam() == "openmpi" ? NMT_OUTCOMES_OPENMPI : NMT_OUTCOMES_MPICH);
    return arguments;
  }
  Result without_us(const std::vector<std::string>& arguments, int ranks = kRanks) const {
    return job(program(arguments), ranks, {}, false, kDeadlineS);
  }
  Result with_us(const std::vector<std::string>& arguments, const std::string& copies,
                 int ranks = kRanks) const {
    return job(
        program(arguments), ranks,
        {{"NMADTUNE_MPI", "always"}, {"NMADTUNE_MPI_COPIES", copies}, {"NMADTUNE_MPI_REPORT", "1"}},
        true, kDeadlineS);
  }

  // How many calls of an operation were replaced.
  static int replaced(const Result& result, const std::string& operation) {
    const std::string begin = "nmadtune: " + operation + ": ";
    const std::size_t at = result.err.find(begin);
    return at == std::string::npos ? 0 : std::stoi(result.err.substr(at + begin.size()));
  }

  // More than `calls` of each of these operations are replaced.
  void expect_the_same(const std::vector<std::string>& arguments,
                       const std::vector<std::string>& ways, int ranks = kRanks,
                       const std::vector<std::string>& operations = {},
                       int calls = kManyCalls) const {
    const Result expected = without_us(arguments, ranks);
    ASSERT_EQ(expected.exit_code, 0) << expected.err;
    ASSERT_THAT(expected.out, EndsWith("done\n"));
    for (const std::string& copies : ways) {
      const Result result = with_us(arguments, copies, ranks);
      EXPECT_EQ(result.exit_code, 0) << result.err;
      expect_same_lines(expected.out, result.out, copies);
      for (const std::string& each : operations) {
        EXPECT_GT(replaced(result, each), calls) << each << ": " << result.err;
      }
    }
  }

  void expect_its_error_on_one_rank(const std::string& which, const std::string& handler,
                                    const std::string& copies) const;

  // The first few that differ: there are thousands.
  static void expect_same_lines(const std::string& expected, const std::string& actual,
                                const std::string& copies) {
    std::istringstream some(expected), others(actual);
    std::string line, other;
    for (int differ = 0; differ < 5 && std::getline(some, line);) {
      std::getline(others, other);
      if (line == other) continue;
      ADD_FAILURE() << "copies by '" << copies << "': expected " << line << "\n got " << other;
      ++differ;
    }
  }
};

TEST_P(Outcome, OfEveryOperatorByEveryTypeIsTheSameWhereErrorsReturn) {
  expect_the_same({"operators", "return"}, kWaysToCopy, kFewRanks, kReductions);
}

TEST_P(Outcome, OfEveryOperatorByEveryTypeIsTheSameUnderAHandlerOfTheProgram) {
  expect_the_same({"operators", "call"}, {""}, kFewRanks, kReductions);
}

TEST_P(Outcome, OfEveryValidOperatorIsTheSameWhereErrorsAreFatal) {
  expect_the_same({"operators", "fatal"}, kWaysToCopy, kFewRanks, kReductions);
}

TEST_P(Outcome, OfTypesByEveryConstructorAndAtMpiBottomIsTheSame) {
  expect_the_same(
      {"types", "return"}, kWaysToCopy, kRanks,
      {"bcast", "allgather", "alltoall", "alltoallv", "gather", "scatter", "allgatherv"});
}

// That is 1 GiB.
TEST_P(Outcome, OfCopiesOfTheMostBytesIsTheSame) {
  expect_the_same({"large-copies", "return"}, kWaysToCopy, kFewRanks,
                  {"bcast", "allgather", "alltoall"}, kWarmUpCalls);
}

TEST_P(Outcome, OfReductionsOfTheMostBytesIsTheSame) {
  if (!has_memory(4)) GTEST_SKIP() << "less than 4 GiB of memory available";
  expect_the_same({"large-reductions", "return"}, kWaysToCopy, kFewRanks, kReductions,
                  kWarmUpCalls);
}

// These are left to the MPI.
TEST_P(Outcome, OfCopiesBeyondAnIntIsTheSame) {
  expect_the_same({"copies-beyond-int", "return"}, {""}, kFewRanks);
}

TEST_P(Outcome, OfReductionsBeyondAnIntIsTheSame) {
  if (!has_memory(8)) GTEST_SKIP() << "less than 8 GiB of memory available";
  expect_the_same({"reductions-beyond-int", "return"}, {""}, kFewRanks);
}

// By messages, a rank that expects less may be the last one to go on with this communicator.
TEST_P(Outcome, OfABcastOfOtherCountsIsTheSameWhereRanksShareMemory) {
  expect_the_same({"counts", "return"}, {"", "shared"});
  expect_the_same({"counts", "call"}, {""});
}

using Words = std::vector<std::string>;

Words operator+(Words some, const Words& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

// Calls that end the program without us, since the MPI finds nothing wrong with them.
Words ends_the_program(const std::string& mpi) {
  if (mpi == "mpich") {
    return {"bcast in place",
            "reduce of a negative count",
            "allreduce of a negative count",
            "reduce in place everywhere",
            "alltoallv in its own buffer",
            "alltoallv without counts"};
  }
  return {"bcast without buffer",
          "reduce of nothing",
          "reduce to nowhere",
          "allreduce of nothing",
          "allreduce to nowhere",
          "allgather of nothing",
          "allgather to nowhere",
          "reduce in place everywhere",
          "allgather of an uncommitted type with gaps",
          "allgather to an uncommitted type",
          "allgather to an uncommitted type with gaps",
          "allgatherv to a negative count",
          "alltoall of nothing",
          "alltoall to nowhere",
          "alltoall of an uncommitted type with gaps",
          "alltoall to an uncommitted type",
          "alltoall to an uncommitted type with gaps",
          "alltoall in its own buffer",
          "alltoallv of nothing",
          "alltoallv to nowhere",
          "alltoallv of an uncommitted type with gaps",
          "alltoallv to an uncommitted type",
          "alltoallv to an uncommitted type with gaps",
          "alltoallv in its own buffer"};  // what comes of it is undefined
}

// The root finds these alone: without us the others wait for it.
const Words kWrongAtTheRoot = {"reduce in its own buffer", "reduce to a place",
                               "reduce to nowhere"};

Words errors_on_all(const std::string& mpi, const std::string& handler,
                    const std::string& which = "errors") {
  return Words{which, "all", handler} + ends_the_program(mpi) + kWrongAtTheRoot;
}

// What that rank got, without the bytes: what other ranks give may come or not.
Words classes_of(const std::string& out, int rank) {
  const std::string begin = "rank " + std::to_string(rank) + ": ";
  std::istringstream lines(out);
  Words classes;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(begin)) {
      classes.push_back(line.substr(begin.size(), line.find(", bytes") - begin.size()));
    }
  }
  return classes;
}

// UCX 1.18 ends a process by an assertion whose worker is destroyed while a request has not come to
// its end; UCX wants such requests cancelled first (openucx/ucx, issue 9323), which MPICH does not.
bool ends_in_finalize(const Result& result) {
  return result.err.find("Assertion `region->refcount == 0' failed") != std::string::npos;
}

// Without us the others may wait for ever. The MPI's word comes from a job of one rank.
void Outcome::expect_its_error_on_one_rank(const std::string& which, const std::string& handler,
                                           const std::string& copies) const {
  const Words words = Words{which, "last", handler} + ends_the_program(GetParam());
  const Result alone = without_us(words, 1);
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  const Words expected = classes_of(alone.out, 0);
  ASSERT_GT(expected.size(), 30u);
  const Result result = with_us(words, copies);
  EXPECT_TRUE(result.exit_code == 0 || ends_in_finalize(result)) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\ndone\n")) << copies;  // UCX warns of what is left
  EXPECT_EQ(classes_of(result.out, kRanks - 1), expected) << copies;
}

TEST_P(Outcome, OfEveryWrongArgumentOnAllRanksIsTheSameWhereErrorsReturn) {
  expect_the_same(errors_on_all(GetParam(), "return"), kWaysToCopy);
}

TEST_P(Outcome, OfEveryWrongArgumentOnAllRanksInAFirstCallIsTheSame) {
  expect_the_same(errors_on_all(GetParam(), "return", "first-errors"), kWaysToCopy);
}

TEST_P(Outcome, OfEveryWrongArgumentOnAllRanksIsTheSameUnderAHandlerOfTheProgram) {
  expect_the_same(errors_on_all(GetParam(), "call"), {""});
}

TEST_P(Outcome, OfAWrongArgumentOnOneRankIsItsErrorThereAndKeepsNobodyWaiting) {
  for (const std::string& copies : kWaysToCopy)
    expect_its_error_on_one_rank("errors", "return", copies);
  expect_its_error_on_one_rank("errors", "call", "");
}

TEST_P(Outcome, OfAWrongArgumentOnOneRankInAFirstCallIsItsErrorThereAndKeepsNobodyWaiting) {
  for (const std::string& copies : kWaysToCopy) {
    expect_its_error_on_one_rank("first-errors", "return", copies);
  }
}

TEST_P(Outcome, OfAWrongArgumentOnOneRankIsTheEndOfTheJobWhereErrorsAreFatal) {
  for (const std::string wrong : {"bcast from rank -1", "reduce of reals by bits",
                                  "allreduce by no operator", "allgather of no type"}) {
    for (const std::string who : {"all", "last"}) {
      const Words words = {"errors", who, "fatal", "only", wrong};
      EXPECT_TRUE(failed(without_us(words, 1))) << wrong;
      const Result result = with_us(words, "");
      EXPECT_TRUE(failed(result)) << wrong;
      EXPECT_THAT(result.out, Not(HasSubstr("done"))) << wrong;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mpis, Outcome, ::testing::Values("openmpi", "mpich"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace nmt::testing
