// SPDX-License-Identifier: BSD-3-Clause
#include "node/subprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>

namespace nmt::node {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Gt;
using ::testing::Lt;

std::string output_of(Subprocess& process, std::string* errors = nullptr) {
  std::string output;
  while (process.read(milliseconds(100), &output, errors)) {
  }
  while (!process.status()) ::usleep(1000);
  return output;
}

// Also where nobody has collected it yet.
bool has_ended(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return !(file >> number >> name >> state) || state == "Z";
}

TEST(Subprocess, GetsItsWordsEnvironmentAndInput) {
  Subprocess process({.command = "sh -c 'read line; echo $NMT_SAID $line $1; exit 3' sh",
                      .arguments = {"two  words"},
                      .environment = {{"NMT_SAID", "said"}},
                      .takes_input = true});
  ASSERT_EQ(::write(process.take_input().get(), "in\n", 3), 3);
  EXPECT_EQ(output_of(process), "said in two words\n");
  EXPECT_EQ(WEXITSTATUS(*process.status()), 3);
}

TEST(Subprocess, HasNoInputUnlessItTakesSome) {
  Subprocess process({.command = "sh -c 'cat; echo end; echo error >&2' sh", .reads_errors = true});
  std::string errors;
  EXPECT_EQ(output_of(process, &errors), "end\n");
  EXPECT_EQ(errors, "error\n");
}

TEST(Subprocess, OfACommandThatDoesNotExistEndsWith127) {
  Subprocess process({.command = "nmt-no-such-command", .reads_errors = true});
  std::string errors;
  EXPECT_EQ(output_of(process, &errors), "");
  EXPECT_EQ(WEXITSTATUS(*process.status()), 127);
}

TEST(Subprocess, ReadsNoLongerThanItIsTold) {
  Subprocess process({.command = "sleep 8"});
  const auto start = std::chrono::steady_clock::now();
  std::string output;
  EXPECT_TRUE(process.read(milliseconds(50), &output));
  EXPECT_THAT(std::chrono::steady_clock::now() - start,
              AllOf(Gt(milliseconds(40)), Lt(milliseconds(4000))));
  EXPECT_EQ(process.status(), std::nullopt);
}

TEST(Subprocess, EndsWithItsObjectAsAWholeGroupThatIgnoresToBeAsked) {
  std::string output;
  {
    Subprocess process(
        {.command = "sh -c 'trap \"\" TERM; sh -c \"echo \\$\\$; sleep 20; :\" & wait' sh",
         .own_group = true,
         .end_timeout = milliseconds(100)});
    while (output.find('\n') == std::string::npos) process.read(milliseconds(100), &output);
  }
  const pid_t grandchild = std::atoi(output.c_str());
  ASSERT_GT(grandchild, 0);
  bool gone = false;
  for (int i = 0; i < 400 && !gone; ++i, ::usleep(10'000)) gone = has_ended(grandchild);
  EXPECT_TRUE(gone);
}

}  // namespace
}  // namespace nmt::node
