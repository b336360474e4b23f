// SPDX-License-Identifier: BSD-3-Clause
//
// Two processes of this node with an engine each per strategy, over the same rails: this one, and a
// forked one that plays the far end of every cell until this one hangs up.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "drivers/drivers.h"
#include "engine/engine.h"
#include "node/node.h"
#include "tools/bench/pattern.h"

namespace nmt {

struct RailInUse {
  Driver* driver = nullptr;
  Rail rail;
};

struct DuoOptions {
  std::vector<std::string> strategies;
  std::vector<RailInUse> rails;
  const nmt_profile* profile = nullptr;
  std::uint64_t size_bytes_max = 0;  // of a message
  std::uint32_t at_once_max = 1;
};

class Duo {
 public:
  // Error(kUsage) for a strategy that is none, Error(kPeer) where the other process fails.
  explicit Duo(const DuoOptions& options);
  ~Duo();
  Duo(const Duo&) = delete;

  // Plays a cell at both ends. Error(kPeer) with what the other end says of it.
  void play(const Cell& cell);

  const Engine& engine(std::size_t strategy) const { return *engines_[strategy]; }

 private:
  void tell_failure(const std::string& what) const;

  Descriptor socket_;
  pid_t child_ = -1;
  Player player_;
  std::vector<std::unique_ptr<Engine>> engines_;
};

}  // namespace nmt
