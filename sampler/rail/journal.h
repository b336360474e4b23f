// SPDX-License-Identifier: BSD-3-Clause
//
// Every block of this session in order, and which blocks were disturbed: by other work at the same
// time, or because the machine was not in its usual state. The second is known only afterwards, so
// judge() checks all blocks again. It changes marks, never numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sampler/rail/evidence.h"
#include "sampler/state_watch.h"

namespace nmt::sampler {

// Whether both ends together waited for a core, or lost one to the hypervisor, for more than a
// certain share of the block.
bool is_disturbed(const node::Interference& interference, std::uint64_t elapsed_ns);

class Journal {
 public:
  explicit Journal(Evidence& evidence) : evidence_(evidence) {}

  // Adds the block's repetitions to the evidence; returns the current state of its cells. Without
  // sentinels, the machine's state is not judged.
  std::vector<Sample> add(std::uint32_t round, bool held_out, std::span<const Step> steps,
                          const BlockResult& result, const std::optional<SentinelTimes>& sentinels);

  // Judges all blocks with the current knowledge; returns the cells whose marks changed.
  std::vector<Sample> judge();

  std::size_t blocks() const { return entries_.size(); }
  bool disturbed(std::size_t block) const { return entries_[block].disturbed; }
  std::size_t repetitions() const;
  std::size_t disturbed_repetitions() const;

 private:
  struct Part {  // repetitions of one cell
    Experiment experiment;
    std::size_t first = 0;
    std::size_t count = 0;
  };
  struct Entry {
    std::vector<Part> parts;
    bool held_out = false;
    bool interfered = false;
    bool watched = false;  // has sentinels; these blocks are in state_ in the same order
    bool disturbed = false;
  };

  Evidence& evidence_;
  StateWatch state_;
  std::vector<Entry> entries_;
};

}  // namespace nmt::sampler
