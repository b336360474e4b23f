// SPDX-License-Identifier: BSD-3-Clause
#include "tools/report/constants.h"

namespace nmt::tools {
namespace {

constexpr std::uint64_t kKi = 1024;

constexpr std::string_view kMany = "a constant, as many sources have it";

constexpr ForeignConstant kConstants[] = {
    {"4 KiB", kMany, "", DecisionKind::kIovec, 4 * kKi},
    {"64 KiB", kMany, "", DecisionKind::kIovec, 64 * kKi},
    {"Open MPI's default for shared memory",
     "btl_vader_eager_limit of 4.1, btl_sm_eager_limit of 5.0", "shm", DecisionKind::kRendezvous,
     4 * kKi},
    {"MPICH's default for shared memory", "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE of 4.0", "shm",
     DecisionKind::kRendezvous, 16 * kKi},
    {"Open MPI's default for InfiniBand", "btl_openib_eager_limit of 4.1", "verbs",
     DecisionKind::kRendezvous, 12 * kKi},
    {"Open MPI's default for TCP", "btl_tcp_eager_limit of 4.1 and 5.0", "tcp",
     DecisionKind::kRendezvous, 64 * kKi},
    {"UCX-Py's setting of UCX",
     "UCX_RNDV_THRESH=8192 of UCX-Py and UCXX; without them UCX estimates its threshold", "",
     DecisionKind::kRendezvous, 8 * kKi},
    {"4 KiB", kMany, "", DecisionKind::kRendezvous, 4 * kKi},
    {"64 KiB", kMany, "", DecisionKind::kRendezvous, 64 * kKi},
    {"4 KiB", kMany, "", DecisionKind::kAggregation, 4 * kKi},
    {"64 KiB", kMany, "", DecisionKind::kAggregation, 64 * kKi},
};
constexpr std::string_view kDescribed = "fake";

}  // namespace

std::vector<ForeignConstant> foreign_constants(std::string_view driver, DecisionKind kind) {
  std::vector<ForeignConstant> found;
  for (const ForeignConstant& each : kConstants) {
    const bool decides = each.driver.empty() || each.driver == driver || driver == kDescribed;
    if (each.kind == kind && decides) found.push_back(each);
  }
  return found;
}

}  // namespace nmt::tools
