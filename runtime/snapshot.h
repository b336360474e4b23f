// SPDX-License-Identifier: BSD-3-Clause
//
// Typed views of a checked snapshot. Decisions read nothing else.
//
// check() checks every offset, count, index and number once, so that later code need not. For any
// bytes that it accepts, no decision reads outside of them, divides by zero or runs for ever. The
// digest detects damage; the checks do not depend on it (the fuzz target of tests/runtime bypasses
// it). A View borrows the bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/layout.h"

namespace nmt::runtime {

struct View {
  // One cache line: all that decisions use.
  std::span<const PathBlock> paths;
  std::span<const PairTable> pairs;
  std::span<const AggregationTable> aggregations;
  std::span<const CompanionRecord> companions;

  std::span<const PathDetailRecord> details;  // same indices as `paths`
  std::span<const CurveRecord> curves;
  std::span<const PointRecord> points;
  std::span<const ThresholdRecord> thresholds;
  std::span<const RangeRecord> ranges;
  std::span<const OffloadRecord> offloads;
  std::span<const SegmentRecord> segments;
  std::span<const SignatureRecord> signatures;
  std::span<const RiseRecord> rises;
  std::span<const SmallRatioRecord> small_ratios;
  std::span<const DeviceRecord> devices;
  std::span<const LibraryRuleRecord> library_rules;
  std::span<const FieldRecord> fields;
  std::span<const char> text;
  const ProfileRecord* profile = nullptr;

  const char* text_at(TextOffset offset) const { return text.data() + offset; }
};

// Of the bytes of a snapshot, with the header's digest taken as 0.
std::uint64_t snapshot_digest(std::span<const std::byte> bytes);

// All three throw Error(kDatabase) "WHAT: cause; way out". The first two also accept older versions
// that are still read (runtime/older_version.h).
SnapshotHeader check_header(std::span<const std::byte> bytes, std::string_view what);
std::vector<Section> check_sections(std::span<const std::byte> bytes, std::string_view what);
// Of the current version. The bytes must be aligned to kSectionAlignment.
View check(std::span<const std::byte> bytes, std::string_view what);

}  // namespace nmt::runtime
