// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of a snapshot: one header, a list of sections, and in each section an array of equal
// records (docs/reference/snapshot.md). The bytes are the same in a file and in the memory of a
// process that opened it, or that compiled it from a database.
//
// Records are plain: fixed width, aligned, without pointers. They refer to each other by index, and
// to a zero-terminated text by its offset. Nothing here is trusted before check() has accepted it
// (runtime/snapshot.h). A changed record needs a new version, once there was a release with the
// version before. A new kind of section does not, because readers skip kinds that they do not know.
// New fields of a record go last, and 0 in them means "not known": so a reader completes the
// shorter records of an older version with zeros (runtime/older_version.h).
#pragma once

#include <array>
#include <cstdint>

#include "runtime/tables.h"

namespace nmt::runtime {

inline constexpr std::array<char, 8> kSnapshotMagic = {'\x89', 'N',  'M',    'T',
                                                       '\r',   '\n', '\x1a', '\n'};
inline constexpr std::uint32_t kSnapshotEndian = 0x01020304;
inline constexpr std::uint32_t kSnapshotVersion = 5;
inline constexpr std::uint32_t kOldestSnapshotVersion = 3;  // that is still read
inline constexpr std::uint64_t kSnapshotBytesMax = std::uint64_t{1} << 32;
inline constexpr std::size_t kSectionAlignment = 64;

struct SnapshotHeader {
  std::array<char, 8> magic;
  std::uint32_t endian;
  std::uint32_t version;
  std::uint64_t file_bytes;  // a multiple of kSectionAlignment
  std::uint64_t digest;      // of all bytes, with this field as 0 (snapshot_digest)
  std::uint32_t sections;
  std::uint32_t reserved[7];
};
static_assert(sizeof(SnapshotHeader) == 64);

enum class SectionKind : std::uint32_t {
  kText = 1,
  kProfile = 2,
  kField = 3,
  kPath = 4,
  kPathDetail = 5,
  kCurve = 6,
  kPoint = 7,
  kThreshold = 8,
  kRange = 9,
  kPair = 10,
  kAggregation = 11,
  kCompanion = 12,
  kOffload = 13,
  kSegment = 14,
  kSignature = 15,
  kRise = 16,
  kSmallRatio = 17,
  kDevice = 18,
  kLibraryRule = 19,
};

struct Section {
  SectionKind kind;
  std::uint32_t record_bytes;
  std::uint64_t offset;  // from the start of the file, a multiple of kSectionAlignment
  std::uint64_t records;
};

using TextOffset = std::uint32_t;

// There is exactly one.
struct ProfileRecord {
  TextOffset platform;
  TextOffset platform_id;
  TextOffset measured_utc;
  TextOffset tool_version;
  std::uint32_t complete;
  std::uint32_t verified;
  double quality;
  double error_median;
  double regret_median;
};

// A field of the platform's fingerprint.
struct FieldRecord {
  TextOffset name;
  TextOffset value;
};

// Describes the path of the same index; for descriptions and exact predictions.
struct PathDetailRecord {
  TextOffset rail;
  TextOffset path_id;
  TextOffset regime;
  TextOffset placement;
  TextOffset busy_rails;
  std::uint32_t methods;  // bits
  std::uint32_t curves_from;
  std::uint32_t curves;
  std::uint32_t thresholds_from;
  std::uint32_t thresholds;
  std::uint32_t methods_from;  // first of the ranges of its methods
  std::uint32_t method_ranges;
  std::uint64_t max_unexpected_bytes;
  double monotone_departure;
  double table_departure;
  // Since version 4.
  TextOffset host;  // of the rail's own node
  TextOffset node_id;
  TextOffset peer_host;
  TextOffset peer_id;
  TextOffset memory;  // empty: not known, and so the host's
  std::uint32_t ranks_per_nic;
  std::uint32_t devices_from;  // names of the rail's device
  std::uint32_t devices;
};

// One name of a rail's device.
struct DeviceRecord {
  TextOffset name;
  std::uint32_t naming;  // nmt_device_naming
};

// One transfer curve. The section has the curves of path 0, then of path 1 ...
struct CurveRecord {
  TextOffset variant;
  std::uint32_t method;
  std::uint32_t points_from;
  std::uint32_t points;
};

struct PointRecord {
  double size_bytes;
  double duration_ns;
  double low_ns;
  double high_ns;
};

struct ThresholdRecord {
  std::uint32_t decision;  // nmt_decision
  std::uint32_t answer;    // nmt_answer
  std::uint64_t bytes;
  std::uint64_t low_bytes;
  std::uint64_t high_bytes;
  double regret;
  std::uint32_t bounded;
  std::uint32_t ranges_from;
  std::uint32_t ranges;
  std::uint32_t reserved;
};

struct RangeRecord {
  std::uint64_t from_bytes;  // up to the start of the next range
  std::int32_t choice;       // for a threshold: 1 above, 0 below; for methods: an nmt_method
  std::uint32_t reserved;
};

// Path `measured` replaces the path of this record while these other paths are busy.
struct CompanionRecord {
  static constexpr std::size_t kBusyMax = 6;
  std::uint32_t measured;
  std::uint32_t busy;
  std::uint32_t busy_paths[kBusyMax];
};

struct OffloadRecord {
  TextOffset placement;
  std::uint32_t reserved;
  double cost_ns;
  double low_ns;
  double high_ns;
};

struct SegmentRecord {
  TextOffset operation;
  std::uint32_t nodes;
  std::uint32_t ranks_per_node;
  TextOffset algorithm;
  std::uint64_t from_bytes;
  std::uint64_t to_bytes;  // UINT64_MAX: no end
  std::uint64_t segment_bytes;
  std::uint32_t leaders;
  TextOffset mpi;  // since version 4; empty: not known
  double gain;     // duration of the MPI's own over this one's; 0: not known
  // Of a rule that was predicted: it holds up to these. 0: sampled, for its own shape only.
  std::uint32_t nodes_max;
  std::uint32_t ranks_per_node_max;
};

// The fastest algorithm of an MPI's own.
struct LibraryRuleRecord {
  TextOffset mpi;
  TextOffset operation;
  TextOffset algorithm;  // empty: none is measurably faster than what the MPI chooses
  std::uint32_t ranks;
  std::uint32_t ranks_per_node;
  std::uint32_t reserved;
  std::uint64_t from_bytes;
  std::uint64_t to_bytes;  // UINT64_MAX: no end
  std::uint64_t segment_bytes;
  double gain;
  double low;
  double high;
};

// Of gamma, or of the ratios of all sizes.
struct RiseRecord {
  std::uint64_t ranks;
  double factor;
};

struct SmallRatioRecord {
  std::uint64_t size_bytes;
  double ratio;
  double spread;
};

struct SignatureRecord {
  TextOffset algorithm;
  std::uint32_t ranks_per_node;
  std::uint32_t ranks_min;
  std::uint32_t ranks_max;
  std::uint32_t points_from;  // of the lower bound
  std::uint32_t points;
  std::uint32_t rises_from;
  std::uint32_t rises;
  std::uint32_t small_from;
  std::uint32_t small;
  std::uint32_t cores;
  std::uint32_t delta_per_message;
  std::uint32_t saturated;
  std::uint32_t uncertain;  // 0: the uncertainty is unknown
  double gamma;
  double delta_ns;
  double error;
  std::uint64_t delta_from_bytes;
  std::uint64_t size_bytes_min;
  std::uint64_t size_bytes_max;
  double growth;
  double processor_ns;
  double gamma_variance;
  double delta_variance;
  double covariance;
  double sessions;
  double misfit;
  double left_out;
  double growth_error;
  double quantile;
  // Since version 5.
  std::uint32_t growth_saturates;
  std::uint32_t by_ratios;  // not 0: small ratios of all sizes predict, and grow thus:
  std::uint32_t ratio_rises_from;
  std::uint32_t ratio_rises;
  std::uint32_t ratio_growth_saturates;
  std::uint32_t reserved;
  double ratio_growth;
  double ratio_growth_error;
};

}  // namespace nmt::runtime
