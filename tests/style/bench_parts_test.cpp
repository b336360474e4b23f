// SPDX-License-Identifier: BSD-3-Clause
//
// How all groups of benchmarks understand scripts/bench --part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/parts.h"

namespace nmt::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> ran;
constexpr Part kParts[] = {{"first", [] { ran.push_back("first"); }},
                           {"second", [] { ran.push_back("second"); }},
                           {"rare", [] { ran.push_back("rare"); }, true}};

int exit_code(std::vector<std::string> names) {
  ran.clear();
  names.insert(names.begin(), "group");
  std::vector<char*> arguments;
  for (std::string& each : names) arguments.push_back(each.data());
  return run_parts({.name = "group", .parts = kParts}, static_cast<int>(arguments.size()),
                   arguments.data());
}

TEST(BenchParts, RunAsNamedOrElseAllButThoseThatMustBeNamed) {
  EXPECT_EQ(exit_code({}), 0);
  EXPECT_THAT(ran, ElementsAre("first", "second"));
  EXPECT_EQ(exit_code({"rare", "first"}), 0);
  EXPECT_THAT(ran, ElementsAre("rare", "first"));
}

TEST(BenchParts, ThatDoNotExistAreRefusedByTheNamesOfThoseThatDo) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(exit_code({"first", "third"}), 2);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "group: no part third; parts are: first second rare\n");
  EXPECT_THAT(ran, IsEmpty());
}

}  // namespace
}  // namespace nmt::bench
