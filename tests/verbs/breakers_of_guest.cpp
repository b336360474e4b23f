// SPDX-License-Identifier: BSD-3-Clause
//
// Only the link is cut: Soft-RoCE cannot take a device away from who has it open, and `rdma link
// delete` waits until nobody has. That a device vanishes is the stub's to show.
#include <cstdlib>

#include "core/error.h"
#include "tests/verbs/breakers.h"

namespace nmt::verbs {
namespace {

void run(const char* command) { NMT_CHECK(std::system(command) == 0); }

}  // namespace

const std::vector<Breaker> kBreakers = {
    {"link down", [] { run("ip link set dev eth1 down"); },
     [] { run("ip link set dev eth1 up; sleep 1; rdma link show rxe1/1 | grep -q ACTIVE"); }}};

}  // namespace nmt::verbs
