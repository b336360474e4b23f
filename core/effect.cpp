// SPDX-License-Identifier: BSD-3-Clause
#include "core/effect.h"

#include <algorithm>
#include <array>
#include <string>

namespace nmt {
namespace {

// As node/libraries.h names them.
constexpr std::array<std::string_view, 5> kMpis = {"open_mpi", "mpich", "mvapich", "intel_mpi",
                                                   "mpi"};
constexpr std::array<std::string_view, 3> kSeldomMatter = {"libc", "libibverbs", "driver_version"};
// Recorded since 0.2: what a profile does not have, it does not contradict.
constexpr std::array<std::string_view, 3> kRecordedLater = {"pcie_width", "pcie_speed",
                                                            "driver_version"};

template <std::size_t N>
bool has(const std::array<std::string_view, N>& names, const std::string& field) {
  return std::ranges::find(names, field) != names.end();
}

// "6.1" of "6.1.0-21-amd64"; empty if it is no version.
std::string release_of(const std::string& kernel) {
  const std::size_t dot = kernel.find('.');
  if (dot == std::string::npos || dot == 0) return {};
  const std::size_t end = kernel.find_first_not_of("0123456789", dot + 1);
  return end == dot + 1 ? std::string() : kernel.substr(0, end);
}

}  // namespace

std::string_view to_string(Effect effect) {
  switch (effect) {
    case Effect::kNone:
      return "none";
    case Effect::kUnconfirmed:
      return "unconfirmed";
    case Effect::kForeign:
      break;
  }
  return "foreign";
}

Effect effect_of(const Difference& difference) {
  if (difference.before == difference.now) return Effect::kNone;
  if (has(kMpis, difference.field)) return Effect::kNone;
  if (!difference.before && has(kRecordedLater, difference.field)) return Effect::kNone;
  if (has(kSeldomMatter, difference.field)) return Effect::kUnconfirmed;
  if (difference.field == "kernel" && difference.before && difference.now) {
    const std::string before = release_of(*difference.before);
    if (!before.empty() && before == release_of(*difference.now)) return Effect::kUnconfirmed;
  }
  return Effect::kForeign;
}

Effect effect_of(const std::vector<Difference>& differences) {
  Effect gravest = Effect::kNone;
  for (const Difference& each : differences) gravest = std::max(gravest, effect_of(each));
  return gravest;
}

}  // namespace nmt
