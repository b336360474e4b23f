// SPDX-License-Identifier: BSD-3-Clause
//
// What the group "runtime" asks and whom: a made-up profile of eight rails with curves as campaigns
// leave them (two sizes per octave up to 16 MiB, 1 % of noise, one protocol change per method, a
// method that changes four times), stored through ProfileDb and compiled into a snapshot; and
// random message sizes, so many that no branch predictor learns their order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan.h"
#include "include/nmadtune.h"
#include "tests/runtime/planted.h"

namespace nmt::bench {

inline constexpr int kRails = 8;
inline constexpr std::size_t kQuestions = std::size_t{1} << 16;

Plan asked_plan();

// Log-uniform from 1 B to 16 MiB; kQuestions of them, the same in every run.
const std::vector<std::uint64_t>& random_sizes();

// The files that a profile is opened from, gone at the end of the process.
class Files {
 public:
  Files();
  const std::string& database() const { return database_; }
  const std::string& snapshot() const { return snapshot_; }

 private:
  planted::Folder folder_;
  std::string database_;
  std::string snapshot_;
};
const Files& files();

// Opens as a communication stack does, with this machine's fingerprint compared.
nmt_profile* open(const std::string& file);

// The open profile that decisions are asked of.
const nmt_profile* profile();

}  // namespace nmt::bench
