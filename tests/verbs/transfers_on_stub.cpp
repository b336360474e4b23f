// SPDX-License-Identifier: BSD-3-Clause
#define NMT_RAILS_UNDER_TEST "verbs:stub0/1 rdma_read", "verbs:stub1/1 rdma_write"
#define NMT_TRANSFERS 1000
#include "tests/verbs/transfers_test.cpp"
