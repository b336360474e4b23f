// SPDX-License-Identifier: BSD-3-Clause
//
// The two ends of a benchmark. Each has one engine per contender, over its own links to the other
// end, and runs its part of every cell. The near end chooses the cell and measures; the far end is
// on another node, or is a forked process of this node.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "control/control.h"
#include "drivers/drivers.h"
#include "tools/bench/measurement_config.h"

namespace nmt::tools::bench {

struct RailInUse {
  drivers::Driver* driver = nullptr;
  Rail rail;  // with this end's name
};

// Known to both ends.
struct Setup {
  MeasurementConfig config;
  std::vector<RailInUse> rails;  // in the same order at both ends
  const nmt_profile* profile = nullptr;
  std::string peer;                                     // for people
  std::function<void(const std::string&)> report = {};  // receives the engines' warnings
};

struct CellResult {
  double elapsed_ns = 0;
  ResourceUsage usage;  // of both ends together
};

// One end's engines, connected.
class BenchEnd {
 public:
  // Error(kUsage) for an unknown strategy, Error(kPeer) if the other end fails.
  BenchEnd(const Setup& setup, drivers::Side side, control::Connection& peer);

  double run(drivers::Side side, const BenchCell& cell, ResourceUsage& usage);

 private:
  TrafficRunner runner_;
  std::vector<std::unique_ptr<engine::Engine>> engines_;
};

class NearEnd {
 public:
  // `peer` must outlive this object; it answers as the far end.
  NearEnd(const Setup& setup, control::Connection& peer);
  ~NearEnd();  // makes the far end finish
  NearEnd(const NearEnd&) = delete;

  // Runs a cell at both ends. Error(kPeer) with the other end's error.
  CellResult run(const BenchCell& cell);

 private:
  control::Connection& peer_;
  std::size_t rails_;
  BenchEnd end_;
};

// Runs the far end's part until the near end finishes; returns the number of cells.
std::uint64_t serve_cells(const Setup& setup, control::Connection& peer);

// A process of this node that runs the far end.
class ForkedFarEnd {
 public:
  explicit ForkedFarEnd(const Setup& setup);
  ~ForkedFarEnd();
  ForkedFarEnd(const ForkedFarEnd&) = delete;

  control::Connection& connection() { return *connection_; }

 private:
  std::unique_ptr<control::Connection> connection_;
  pid_t child_ = -1;
};

}  // namespace nmt::tools::bench
