// SPDX-License-Identifier: BSD-3-Clause
#include "stacks/versions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/version.h"
#include "stacks/settings.h"

namespace nmt::stacks {
namespace {

const std::array kVersions = {
    StackVersions{"openmpi", "4.0", "6.0", "4.1", {"4.1.4", "5.0.7"}},
    StackVersions{"mpich", "4.0", "6.0", "4.0", {"4.0.2", "4.2.1"}},
    StackVersions{"ucx", "1.12", "2.0", "1.13", {"1.13.1", "1.18.1"}},
    StackVersions{"libfabric", "1.14", "3.0", "2.1", {"1.17.0", "2.1.0"}},
    StackVersions{"newmadeleine", "2016", "2018", "2017.06", {}},
};

bool begins_with(std::string_view version, std::string_view series) {
  return version == series || version.starts_with(fmt::format("{}.", series));
}

std::string_view first_two_numbers(std::string_view version) {
  const std::size_t dot = version.find('.');
  if (dot == std::string_view::npos) return version;
  return version.substr(0, version.find('.', dot + 1));
}

}  // namespace

std::span<const StackVersions> all_stack_versions() { return kVersions; }

const StackVersions& versions_of(std::string_view stack) {
  const auto found = std::ranges::find(kVersions, stack, &StackVersions::stack);
  if (found == kVersions.end()) {
    std::vector<std::string_view> names;
    for (const StackVersions& each : kVersions) names.push_back(each.stack);
    throw Error(Fault::kUsage,
                fmt::format("no stack '{}'; there is: {}", stack, fmt::join(names, ", ")));
  }
  return *found;
}

std::string export_version(std::string_view stack, std::string_view wanted,
                           std::string_view measured) {
  const StackVersions& versions = versions_of(stack);
  if (wanted.empty()) return std::string(measured.empty() ? versions.usual : measured);
  const bool number = wanted.find_first_not_of("0123456789.") == std::string_view::npos;
  if (!number || older(wanted, versions.from) || !older(wanted, versions.before)) {
    throw Error(
        Fault::kUsage,
        fmt::format("--for: version '{}' of {} is not supported; write one from {} to below {}",
                    wanted, stack, versions.from, versions.before));
  }
  return std::string(wanted);
}

bool is_same_version(std::string_view stack, std::string_view version, std::string_view other) {
  if (stack == "libfabric") {
    version = first_two_numbers(version);
    other = first_two_numbers(other);
  }
  return !older(version, other) && !older(other, version);
}

bool is_meant(std::string_view stack, std::string_view named, std::string_view version) {
  return is_same_version(stack, version, named) || begins_with(version, named);
}

std::string warning_of_untried(std::string_view stack, std::string_view version) {
  const StackVersions& versions = versions_of(stack);
  const bool tried = std::ranges::any_of(
      versions.tried, [&](std::string_view each) { return begins_with(each, version); });
  if (tried) return {};
  if (versions.tried.empty()) {
    return fmt::format("{} {} was not tried: its files are written by its grammar only", stack,
                       version);
  }
  return fmt::format(
      "{0} {1} was not tried (tried: {2}): its files are written by its grammar only; measure what "
      "they do with nmad-tune ab {0} before you use them",
      stack, version, fmt::join(versions.tried, ", "));
}

}  // namespace nmt::stacks
