// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>

#include "core/error.h"
#include "tests/verbs/breakers.h"

namespace nmt {
namespace {

void run(const char* command) { NMT_CHECK(std::system(command) == 0); }

}  // namespace

const std::vector<Breaker> kBreakers = {
    {"link down", [] { run("ip link set dev eth1 down"); },
     [] { run("ip link set dev eth1 up; sleep 1; rdma link show rxe1/1 | grep -q ACTIVE"); }},
    {"device deleted", [] { run("rdma link delete rxe1"); },
     [] { run("rdma link add rxe1 type rxe netdev eth1; sleep 1"); }}};

}  // namespace nmt
