// SPDX-License-Identifier: BSD-3-Clause
#include "bench/sampling/groups.h"

int main() {
  nmt::bench::planted_truth();
  nmt::bench::thrift();
  nmt::bench::real_rails();
}
