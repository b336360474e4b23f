// SPDX-License-Identifier: BSD-3-Clause
//
// The results of nmad-bench: a table for people, rows and documents for programs.
//
// A duration is the median over the rounds, with its 95 % interval. Bytes on rails and processor
// time are for both ends together, over all rounds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/bench/bench_ends.h"
#include "tools/bench/request.h"
#include "tools/command/report.h"

namespace nmt::tools {

struct MeasuredContender {
  std::vector<double> durations_ns;  // per operation, one per round
  double operations = 0;
  bench::ResourceUsage usage;

  double per_operation(std::uint64_t sum) const { return static_cast<double>(sum) / operations; }
};

struct Measured {
  BenchCell cell;
  std::vector<MeasuredContender> contenders;
};

class BenchReport {
 public:
  BenchReport(const BenchRequest& request, const bench::Setup& setup);

  void add(const Measured& measured);
  Report take();

 private:
  struct Row;
  void add_row(const Row& row, double best_ns);
  json::Value rails_of(const MeasuredContender& contender) const;

  const BenchRequest& request_;
  const bench::Setup& setup_;
  std::vector<std::string> rails_;
  std::vector<std::optional<double>> alone_;  // most bytes per second with single:RAIL, per rail
  Table table_;
  Report report_;
  json::Value cells_ = json::Value::array();
};

}  // namespace nmt::tools
