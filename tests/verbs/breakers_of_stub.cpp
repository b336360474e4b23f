// SPDX-License-Identifier: BSD-3-Clause
#include "tests/verbs/breakers.h"
#include "tests/verbs/stub.h"

namespace nmt::verbs {

const std::vector<Breaker> kBreakers = {
    {"cut", [] { stub::cut("stub1"); }, stub::reset},
    {"port down", [] { stub::raise(IBV_EVENT_PORT_ERR, "stub1"); }, stub::reset},
    {"device fatal", [] { stub::raise(IBV_EVENT_DEVICE_FATAL, "stub1"); }, stub::reset}};

}  // namespace nmt::verbs
