// SPDX-License-Identifier: BSD-3-Clause
#include "bench/exports/launched.h"

#include <fmt/format.h>

#include <vector>

#include "bench/output_of.h"
#include "core/statistics.h"

namespace nmt::bench {

json::Value launched(std::string_view stack, const std::string& environment,
                     const std::string& launcher, const std::string& order) {
  return json::parse(
      output_of(fmt::format("env {} {} nmad-sample --stack {} --json --quiet --turn {}",
                            environment, launcher, stack, order)),
      "nmad-sample");
}

double round_ns(const json::Reader& cell) {
  std::vector<double> rounds_ns;
  for (const json::Reader& round : cell["rounds_ns"].items()) rounds_ns.push_back(round.number());
  return median(rounds_ns);
}

double collective_ns(const std::string& operation, std::string_view stack,
                     const std::string& environment, const std::string& launcher) {
  const json::Value document = launched(
      stack, environment, launcher,
      fmt::format("operation:{}/candidates:0x0/sizes:262144/budget:1000000000/seed:1", operation));
  return round_ns(json::Reader(document, "nmad-sample")["collectives"]["cells"][0]);
}

}  // namespace nmt::bench
