// SPDX-License-Identifier: BSD-3-Clause
#define NMT_VERBS_RAILS "verbs:stub0/1", "verbs:stub1/1"
#include "tests/verbs/engine_test.cpp"
