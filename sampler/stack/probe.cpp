// SPDX-License-Identifier: BSD-3-Clause
#include "sampler/stack/probe.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/units.h"

namespace nmt::sampler {

std::vector<std::uint64_t> stack_grid(std::uint64_t most_bytes) {
  constexpr std::uint64_t kFinerFrom = 1 << 10, kFinerTo = 1 << 20;
  std::vector<std::uint64_t> sizes_bytes;
  for (std::uint64_t size = 1; size <= most_bytes; size *= 2) {
    sizes_bytes.push_back(size);
    if (size >= kFinerFrom && size < kFinerTo) sizes_bytes.push_back(size + size / 2);
  }
  std::erase_if(sizes_bytes, [&](std::uint64_t size) { return size > most_bytes; });
  return sizes_bytes;
}

LaunchedRound probe_stack(const StackJob& job, const std::vector<std::uint64_t>& sizes_bytes) {
  LaunchRoundOrder order{.sizes_bytes = sizes_bytes, .find_eager = true};
  for (const stacks::Transport transport : stacks::kTransports) {
    const std::string limit = job.stack.limit(transport);
    if (!limit.empty()) order.variables.push_back(limit);
  }
  LaunchedRound first = launch_round(job, {}, order);
  if (first.timings.cells.empty()) {
    throw Error(Fault::kUsage, fmt::format("--launcher '{}' starts {} rank; start at least two",
                                           job.launcher, first.ranks));
  }
  if (!order.variables.empty()) {
    require_variables(job, first, "find the limits of eager messages, and the header in them,");
  }
  return first;
}

void require_variables(const StackJob& job, const LaunchedRound& first, std::string_view what) {
  if (first.has_variables) return;
  throw Error(Fault::kFailed,
              fmt::format("cannot {} of {}: MPI_T is switched off or cannot be initialised in the "
                          "ranks of --launcher '{}'; leave out what intercepts MPI_T_init_thread "
                          "there (LD_PRELOAD, a tool), or launch a build of the MPI that has MPI_T",
                          what, first.library, job.launcher));
}

std::uint64_t header_bytes(const stacks::Stack& stack, const LaunchedRound& first,
                           stacks::Transport transport) {
  const std::string limit = stack.limit(transport);
  for (const auto& [name, value] : first.timings.variables) {
    if (name != limit) continue;
    for (const LaunchRound::Eager& eager : first.timings.eager) {
      if (first.transport_of(eager.placement) != transport) continue;
      const std::uint64_t limit_bytes = parse_bytes(value);
      return limit_bytes - std::min(limit_bytes, eager.bytes_max);
    }
  }
  return 1;
}

Fields facts_of(const stacks::Stack& stack, const LaunchedRound& first) {
  Fields facts;
  if (!first.library_file.empty()) facts[std::string(kLibraryFile)] = first.library_file;
  if (!first.ucx_version.empty()) facts[std::string(stacks::kUcxVersion)] = first.ucx_version;
  if (!first.libfabric_version.empty()) {
    facts[std::string(stacks::kLibfabricVersion)] = first.libfabric_version;
  }
  for (const auto& [name, value] : first.timings.variables) facts["default " + name] = value;
  for (const LaunchRound::Eager& eager : first.timings.eager) {
    facts["eager " + eager.placement] = std::to_string(eager.bytes_max);
    facts["header " + eager.placement] =
        std::to_string(header_bytes(stack, first, first.transport_of(eager.placement)));
  }
  return facts;
}

}  // namespace nmt::sampler
