// SPDX-License-Identifier: BSD-3-Clause
//
// Performance guidelines of the MPI's own collectives (Traeff, Gropp, Thakur: "Self-consistent MPI
// performance guidelines", IEEE TPDS 2010; Hunold, Carpen-Amarie: PGMPITuneLib): none should take
// longer than other collectives that do the same work, than itself with a larger message, or than
// itself on more ranks. Where one does, tuning pays, or the measurement is suspect.
//
// Each part of an emulation has a size of its own: an Allgather is compared with a Gather of one
// block and a Bcast of all. Where a message of the size that a part needs was not measured, the
// next larger one stands for it.
//
// One is broken only by 5 % or more, and where the 95 % intervals of both medians leave no doubt;
// fewer than six repetitions have no such interval. Shapes are measured one after the other, so a
// machine that has become faster meanwhile looks like a guideline that more ranks break. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/sample.h"

namespace nmt::tuner {

enum class Guideline { kEmulation, kSize, kRanks };
std::string_view to_string(Guideline guideline);  // "emulation", "size", "ranks"

// Collectives that one call after the other runs, and how long they take.
struct TimedCollectives {
  std::string operations;  // "reduce + bcast"
  std::int64_t nodes = 0;
  std::int64_t ranks_per_node = 0;
  // Of the last one: of its message; for an allgather, of one rank's data; for an alltoall, of one
  // rank's data for another.
  std::uint64_t size_bytes = 0;
  double ns = 0;  // sum of medians
  bool operator==(const TimedCollectives&) const = default;
};

struct BrokenGuideline {
  Guideline guideline = Guideline::kEmulation;
  std::string mpi;          // name and version
  TimedCollectives own;     // is slower
  TimedCollectives faster;  // than this; of several under one guideline, the fastest

  double ratio() const { return own.ns / faster.ns; }
  bool operator==(const BrokenGuideline&) const = default;
};

struct GuidelineFindings {
  std::size_t cells = 0;  // operations, shapes and sizes that were measured often enough
  std::vector<BrokenGuideline> broken;  // by MPI, operation, shape and size
};

GuidelineFindings check_guidelines(std::span<const SampleSet> sets);

}  // namespace nmt::tuner
