// SPDX-License-Identifier: BSD-3-Clause
//
// Which versions of other stacks files are written for, and which of them the tests were run with.
//
// The table of both is kVersions in versions.cpp. docs/reference/versions.md shows it to people,
// with the tests; a test compares the two (tests/tools/versions_test.cpp).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nmt::stacks {

struct StackVersions {
  std::string_view stack;               // as typed on the command line
  std::string_view from;                // the first version whose grammar is known,
  std::string_view before;              // and the first one that is unknown again
  std::string_view usual;               // if no measurement tells the version
  std::vector<std::string_view> tried;  // by the tests, on Debian 12 and 13
};

std::span<const StackVersions> all_stack_versions();
// Error(kUsage) for an unknown stack; it lists the known ones.
const StackVersions& versions_of(std::string_view stack);

// The version to write for: `wanted`, else the measured one. Error(kUsage) for an unknown stack or
// version; it lists the known ones.
std::string export_version(std::string_view stack, std::string_view wanted,
                           std::string_view measured);

// Whether what holds for one version of a stack holds for the other. Of libfabric the first two
// numbers are compared, because a job that has loaded it tells no more.
bool is_same_version(std::string_view stack, std::string_view version, std::string_view other);

// Whether a user who names a version means this one: "4.1" is any version that begins so.
bool is_meant(std::string_view stack, std::string_view named, std::string_view version);

// What a user of a version has to know with which no test was run; empty where one was. "4.1" is
// any version that begins so.
std::string warning_of_untried(std::string_view stack, std::string_view version);

}  // namespace nmt::stacks
