// SPDX-License-Identifier: BSD-3-Clause
//
// The two ends of a benchmark: each has an engine per contender, over links of its own to the other
// end, and plays its part of every cell. The near one says which, and measures; the far one is on
// another node, or a forked process of this one.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "control/control.h"
#include "drivers/drivers.h"
#include "tools/bench/measurement_config.h"

namespace nmt::bench {

struct RailInUse {
  Driver* driver = nullptr;
  Rail rail;  // by this end's name
};

// What both ends know.
struct Setup {
  MeasurementConfig config;
  std::vector<RailInUse> rails;  // in the same order at both ends
  const nmt_profile* profile = nullptr;
  std::string peer;                                     // for people
  std::function<void(const std::string&)> report = {};  // what the engines say, for people
};

struct CellResult {
  double elapsed_ns = 0;
  ResourceUsage usage;  // of both ends together
};

// One end's engines, connected.
class BenchEnd {
 public:
  // Error(kUsage) for a strategy that is none, Error(kPeer) where the other end fails.
  BenchEnd(const Setup& setup, Side side, control::Connection& peer);

  double run(Side side, const BenchCell& cell, ResourceUsage& usage);

 private:
  TrafficRunner runner_;
  std::vector<std::unique_ptr<Engine>> engines_;
};

class NearEnd {
 public:
  // `peer` must outlive it, and answers as the far end does.
  NearEnd(const Setup& setup, control::Connection& peer);
  ~NearEnd();  // tells the far end that it was all
  NearEnd(const NearEnd&) = delete;

  // Plays a cell at both ends. Error(kPeer) with what the other end says of it.
  CellResult run(const BenchCell& cell);

 private:
  control::Connection& peer_;
  std::size_t rails_;
  BenchEnd end_;
};

// Plays the far end's part until the near end says that it was all; the number of cells.
std::uint64_t serve_cells(const Setup& setup, control::Connection& peer);

// A process of this node that plays the far end of it.
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

}  // namespace nmt::bench
