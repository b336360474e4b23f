// SPDX-License-Identifier: BSD-3-Clause
//
// The differences between the ends of a split message's chunks, as its receiver sees them. A split
// by prediction tries to make them small (paper "sampling-based auto-tuning", III-C).
//
// A message counts if its data came over several links. Its duration starts at the first
// announcement of any of its data. The state of a message is dropped after its last byte.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/engine.h"
#include "engine/wire.h"

namespace nmt::engine {

class ChunkEnds {
 public:
  void announced(const Label& label, double now_ns);
  void came(const Label& label, std::size_t link, double now_ns);
  void refused(std::uint64_t sequence) { coming_.erase(sequence); }

  void add_to(GateState& state) const;

 private:
  struct Message {
    double start_ns = 0;
    std::uint64_t came_bytes = 0;
    std::vector<double> ends_ns;  // by link; 0 for a link that brought nothing
  };
  std::unordered_map<std::uint64_t, Message> coming_;  // by sequence
  std::uint64_t messages_ = 0;
  double duration_ns_ = 0;
  double apart_ns_ = 0;
};

}  // namespace nmt::engine
