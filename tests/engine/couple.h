// SPDX-License-Identifier: BSD-3-Clause
//
// Two engines of this thread, and the wires in memory between them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "tests/engine/memory_link.h"

namespace nmt::engine {

struct Couple {
  std::vector<std::shared_ptr<MemoryWire>> wires;
  std::vector<std::string> reports;
  std::unique_ptr<VirtualClock> clock = std::make_unique<VirtualClock>();
  std::unique_ptr<Engine> a, b;

  Couple(std::size_t links, std::uint64_t seed, EngineOptions options = {}) {
    options.clock = clock.get();
    options.report = [this](const std::string& text) { reports.push_back(text); };
    a = std::make_unique<Engine>(options);
    b = std::make_unique<Engine>(options);
    std::vector<LinkDescription> sides[2];
    for (std::size_t i = 0; i < links; ++i) {
      wires.push_back(std::make_shared<MemoryWire>(seed + i));
      for (int side : {0, 1}) {
        sides[side].push_back({std::make_unique<MemoryEndpoint>(wires.back(), side),
                               "memory:" + std::to_string(i),
                               {kMethods.begin(), kMethods.end()}});
      }
    }
    a->add_gate("b", std::move(sides[0]));
    b->add_gate("a", std::move(sides[1]));
  }
};

}  // namespace nmt::engine
