// SPDX-License-Identifier: BSD-3-Clause
//
// Every block of this session in order, and which of them were disturbed: by what else ran
// meanwhile, or because the machine was not in its usual state. The second can be said only in
// hindsight, so judge() looks at all blocks again; what it changes is a mark, never a number.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sampler/rail/evidence.h"
#include "sampler/rail/state_watch.h"

namespace nmt {

// Both ends together waited for a core, or the hypervisor took one away, for more than this share
// of the block.
bool is_disturbed(const Interference& interference, std::uint64_t elapsed_ns);

class Journal {
 public:
  explicit Journal(Evidence& evidence) : evidence_(evidence) {}

  // Files the block's repetitions as evidence; returns its cells as they are now. Without
  // sentinels nothing is said about the machine's state.
  std::vector<Sample> add(std::uint32_t round, bool held_out, std::span<const Step> steps,
                          const BlockResult& result, const std::optional<SentinelTimes>& sentinels);

  // Judges all blocks by what is known now; returns the cells whose marks changed.
  std::vector<Sample> judge();

  std::size_t blocks() const { return entries_.size(); }
  bool disturbed(std::size_t block) const { return entries_[block].disturbed; }
  std::size_t repetitions() const;
  std::size_t disturbed_repetitions() const;

 private:
  struct Part {  // of one cell's repetitions
    Experiment experiment;
    std::size_t first = 0;
    std::size_t count = 0;
  };
  struct Entry {
    std::vector<Part> parts;
    bool held_out = false;
    bool interfered = false;
    bool watched = false;  // has sentinels, in the order of state_
    bool disturbed = false;
  };

  Evidence& evidence_;
  StateWatch state_;
  std::vector<Entry> entries_;
};

}  // namespace nmt
