// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/installed_version.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/version.h"
#include "sampler/sampler.h"
#include "stacks/stacks.h"

namespace nmt::tools {
namespace {

struct VersionCommand {
  std::string_view stack;
  std::string_view program;
  std::string_view option;
};
constexpr std::array kCommands = {VersionCommand{"openmpi", "ompi_info", "--version"},
                                  VersionCommand{"mpich", "mpichversion", "--version"},
                                  VersionCommand{"ucx", "ucx_info", "-v"},
                                  VersionCommand{"libfabric", "fi_info", "--version"}};

}  // namespace

std::string installed_version(std::string_view stack) {
  const auto command = std::ranges::find(kCommands, stack, &VersionCommand::stack);
  if (command == kCommands.end()) return {};
  try {
    return version_in(sampler::launch({.launcher = std::string(command->program),
                                       .program = {std::string(command->option)},
                                       .timeout_ns = 60e9})
                          .out);
  } catch (const Error&) {  // not here
    return {};
  }
}

}  // namespace nmt::tools
