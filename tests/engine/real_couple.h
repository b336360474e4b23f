// SPDX-License-Identifier: BSD-3-Clause
//
// Two engines of this process, over real rails that lead from it to itself. Needs
// tests/drivers/pair.cpp.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "tests/drivers/pair.h"

namespace nmt::engine {

struct RealCouple {
  // What stands for the first engine's end of a rail.
  using InFront =
      std::function<std::unique_ptr<drivers::Endpoint>(std::unique_ptr<drivers::Endpoint>)>;

  std::string missing;  // why there are no engines
  std::vector<std::string> reports;
  std::unique_ptr<Engine> a, b;

  RealCouple(const std::vector<std::string>& rails, const std::string& strategy,
             const InFront& in_front = {}) {
    const EngineOptions options{.strategy = strategy,
                                .report = [this](const std::string& t) { reports.push_back(t); }};
    a = std::make_unique<Engine>(options);
    b = std::make_unique<Engine>(options);
    std::vector<LinkDescription> sides[2];
    for (const std::string& rail : rails) {
      drivers::Pair pair = drivers::open_pair(rail);
      missing = pair.under_test.missing;
      if (!pair.near) return;
      if (in_front) pair.near = in_front(std::move(pair.near));
      sides[0].push_back({std::move(pair.near), rail, pair.methods()});
      sides[1].push_back({std::move(pair.far), rail, pair.methods()});
    }
    a->add_gate("b", std::move(sides[0]));
    b->add_gate("a", std::move(sides[1]));
  }
};

}  // namespace nmt::engine
