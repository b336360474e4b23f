// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.h"
#include "include/nmadtune.h"

namespace nmt::runtime {
namespace {

constexpr std::size_t kSectionsMax = 64;
constexpr double kDurationMax = 1e18;  // ns: thirty years

bool is_duration(double value) { return value >= 0 && value <= kDurationMax; }
bool is_fraction(double value) { return value >= 0 && std::isfinite(value); }

class Checker {
 public:
  Checker(std::span<const std::byte> bytes, std::string_view what) : bytes_(bytes), what_(what) {}

  View check() {
    for (const Section& section : checked_sections()) read(section);
    check_profile();
    for (std::size_t i = 0; i < view_.paths.size(); ++i) check_path(i);
    for (const PairTable& table : view_.pairs) check_pair(table);
    for (const AggregationTable& table : view_.aggregations) {
      check_sizes(table.one_of_two);
      check_sizes(table.together);
    }
    check_companions();
    check_collectives();
    return view_;
  }

  SnapshotHeader checked_header() const {
    require(bytes_.size() >= sizeof(SnapshotHeader), "too short for a snapshot");
    SnapshotHeader header;
    std::memcpy(&header, bytes_.data(), sizeof header);
    require(header.magic == kSnapshotMagic, "not a snapshot");
    require(header.endian == kSnapshotEndian, "written on a machine of the other byte order");
    if (header.version < kOldestSnapshotVersion || header.version > kSnapshotVersion) {
      fail(fmt::format("has version {}, and this library reads versions {} to {}", header.version,
                       kOldestSnapshotVersion, kSnapshotVersion));
    }
    if (header.file_bytes != bytes_.size()) {
      fail(fmt::format("{} bytes long instead of {}", bytes_.size(), header.file_bytes));
    }
    require(bytes_.size() % kSectionAlignment == 0, "has a length that no snapshot has");
    require(header.digest == snapshot_digest(bytes_), "damaged: its digest does not match");
    require(header.sections <= kSectionsMax &&
                header.sections <= (bytes_.size() - sizeof(SnapshotHeader)) / sizeof(Section),
            "its list of sections is too long");
    return header;
  }

  std::vector<Section> checked_sections() const {
    std::vector<Section> sections(checked_header().sections);
    require(!sections.empty(), "has no sections");
    std::memcpy(sections.data(), bytes_.data() + sizeof(SnapshotHeader),
                sections.size() * sizeof(Section));
    for (const Section& section : sections) {
      require(section.record_bytes > 0, "records of no size");
      require(section.offset % kSectionAlignment == 0 && section.offset <= bytes_.size() &&
                  section.records <= (bytes_.size() - section.offset) / section.record_bytes,
              "a section does not fit into it");
    }
    return sections;
  }

 private:
  [[noreturn]] void fail(std::string_view cause) const {
    throw Error(Fault::kDatabase,
                fmt::format("{}: {}; write it again with nmad-tune compile", what_, cause));
  }
  void require(bool holds, std::string_view cause) const {
    if (!holds) fail(cause);
  }
  // Checks that a range lies within another section's records.
  void require_range(std::uint64_t from, std::uint64_t count, std::size_t records,
                     std::string_view cause) const {
    require(from <= records && count <= records - from, cause);
  }

  template <class Record>
  void take(const Section& section, std::span<const Record>& records) const {
    require(section.record_bytes == sizeof(Record), "records of another size");
    require(records.empty(), "a section twice");
    records = {reinterpret_cast<const Record*>(bytes_.data() + section.offset), section.records};
  }

  void read(const Section& section) {
    switch (section.kind) {
      case SectionKind::kText:
        return take(section, view_.text);
      case SectionKind::kProfile:
        return take(section, profiles_);
      case SectionKind::kField:
        return take(section, view_.fields);
      case SectionKind::kPath:
        return take(section, view_.paths);
      case SectionKind::kPathDetail:
        return take(section, view_.details);
      case SectionKind::kCurve:
        return take(section, view_.curves);
      case SectionKind::kPoint:
        return take(section, view_.points);
      case SectionKind::kThreshold:
        return take(section, view_.thresholds);
      case SectionKind::kRange:
        return take(section, view_.ranges);
      case SectionKind::kPair:
        return take(section, view_.pairs);
      case SectionKind::kAggregation:
        return take(section, view_.aggregations);
      case SectionKind::kCompanion:
        return take(section, view_.companions);
      case SectionKind::kOffload:
        return take(section, view_.offloads);
      case SectionKind::kSegment:
        return take(section, view_.segments);
      case SectionKind::kSignature:
        return take(section, view_.signatures);
      case SectionKind::kRise:
        return take(section, view_.rises);
      case SectionKind::kSmallRatio:
        return take(section, view_.small_ratios);
      case SectionKind::kDevice:
        return take(section, view_.devices);
      case SectionKind::kLibraryRule:
        return take(section, view_.library_rules);
    }
  }

  void check_text(TextOffset offset) const {
    require(offset < view_.text.size(), "a text outside of it");
  }

  void check_profile() {
    require(!view_.text.empty() && view_.text.back() == '\0', "texts without an end");
    require(profiles_.size() == 1, "not one profile");
    view_.profile = profiles_.data();
    for (const TextOffset offset : {view_.profile->platform, view_.profile->platform_id,
                                    view_.profile->measured_utc, view_.profile->tool_version}) {
      check_text(offset);
    }
    for (const FieldRecord& field : view_.fields) {
      check_text(field.name);
      check_text(field.value);
    }
    for (const DeviceRecord& device : view_.devices) check_text(device.name);
    require(view_.paths.size() == view_.details.size() && view_.paths.size() <= INT32_MAX,
            "not one description per path");
  }

  void check_path(std::size_t index) const {
    const PathBlock& block = view_.paths[index];
    require(std::is_sorted(std::begin(block.method_from), std::end(block.method_from)),
            "methods out of order");
    check_choices(block);
    require(block.aggregation == PathBlock::kNone || block.aggregation < view_.aggregations.size(),
            "an aggregation table that is not there");
    if (block.gate != PathBlock::kNone) {
      require(block.gate_place < view_.paths.size(), "a place in a gate that is not there");
      const std::uint64_t place = block.gate_place;
      // The pairs of this place with all lower places.
      require_range(block.gate_pairs, place * (place + 1) / 2, view_.pairs.size(),
                    "pair tables that are not there");
    }
    require_range(block.companions_from, block.companions, view_.companions.size(),
                  "companions that are not there");
    check_sizes(block.duration);
    if (block.measured != 0) check_times(block.inverse);
    check_detail(view_.details[index]);
  }

  void check_choices(const PathBlock& block) const {
    for (std::size_t i = 0; i <= PathBlock::kMethodChanges; ++i) {
      const std::uint32_t choice = block.method_choices >> (4 * i) & 0xf;
      const bool known = choice <= NMT_RENDEZVOUS || choice == (NMT_NO_ADVICE & 0xf) ||
                         choice == (PathBlock::kAskRanges & 0xf);
      require(known, "a method that does not exist");
    }
  }

  void check_detail(const PathDetailRecord& detail) const {
    for (const TextOffset offset :
         {detail.rail, detail.path_id, detail.regime, detail.placement, detail.busy_rails,
          detail.host, detail.node_id, detail.peer_host, detail.peer_id, detail.memory}) {
      check_text(offset);
    }
    require_range(detail.devices_from, detail.devices, view_.devices.size(), "devices not there");
    require_range(detail.curves_from, detail.curves, view_.curves.size(), "curves not there");
    for (const CurveRecord& curve : view_.curves.subspan(detail.curves_from, detail.curves)) {
      check_text(curve.variant);
      require(curve.method <= NMT_RENDEZVOUS, "a method that does not exist");
      check_points(curve.points_from, curve.points);
    }
    require_range(detail.thresholds_from, detail.thresholds, view_.thresholds.size(),
                  "thresholds not there");
    for (const ThresholdRecord& threshold :
         view_.thresholds.subspan(detail.thresholds_from, detail.thresholds)) {
      check_ranges(threshold.ranges_from, threshold.ranges);
    }
    check_ranges(detail.methods_from, detail.method_ranges);
  }

  void check_ranges(std::uint64_t from, std::uint64_t count) const {
    require_range(from, count, view_.ranges.size(), "ranges not there");
    const auto ranges = view_.ranges.subspan(from, count);
    require(!ranges.empty() && ranges[0].from_bytes == 0, "ranges that leave sizes out");
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      require(ranges[i].choice >= NMT_NO_ADVICE && ranges[i].choice <= NMT_RENDEZVOUS,
              "a choice that does not exist");
      require(i == 0 || ranges[i - 1].from_bytes < ranges[i].from_bytes, "ranges out of order");
    }
  }

  void check_points(std::uint64_t from, std::uint64_t count) const {
    require_range(from, count, view_.points.size(), "points not there");
    require(count > 0, "a curve without points");
    double before = -1;
    for (const PointRecord& point : view_.points.subspan(from, count)) {
      require(point.size_bytes > before && point.size_bytes < 0x1p63, "points out of order");
      require(
          is_duration(point.duration_ns) && is_duration(point.low_ns) && is_duration(point.high_ns),
          "a duration that is not one");
      before = point.size_bytes;
    }
  }

  // Checks that knots rise up to the first one with value `never`, and that no quarter octave
  // starts after its first piece. Returns the number of pieces.
  template <std::size_t Knots, class Begin>
  std::size_t check_knots(const std::uint32_t (&knots)[Knots], std::uint32_t never,
                          std::span<const std::uint8_t> first, Begin begin) const {
    require(knots[0] == 0, "a table that does not begin at 0");
    std::size_t pieces = 1;
    while (pieces < Knots && knots[pieces] < never) {
      require(knots[pieces] > knots[pieces - 1], "a table out of order");
      ++pieces;
    }
    require(pieces + 2 <= Knots, "a table without an end");
    for (std::size_t i = pieces; i < Knots; ++i) {
      require(knots[i] == never, "a table that goes on after its end");
    }
    for (std::uint32_t bucket = 0; bucket < first.size(); ++bucket) {
      require(first[bucket] < pieces, "a piece not in its table");
      require(knots[first[bucket]] <= begin(bucket), "a table that begins in its middle");
    }
    return pieces;
  }

  template <std::size_t Pieces>
  std::size_t check_knots(const SizeIndex<Pieces>& index) const {
    return check_knots(index.knot, index.kNever, index.first, index.begin);
  }

  void check_numbers(std::span<const float> values) const {
    for (const float value : values) {
      require(std::abs(value) <= 1e30f, "a number that is none");
    }
  }

  template <std::size_t Pieces>
  void check_sizes(const BasicSizeTable<Pieces>& table) const {
    check_knots(table.index);
    check_numbers(table.start);
    check_numbers(table.duration_ns);
    check_numbers(table.ns_per_byte);
  }

  void check_times(const TimeTable& table) const {
    require(table.base <= table.octave_quarter(table.kNever), "a table beyond all times");
    const std::size_t pieces =
        check_knots(table.knot, table.kNever, table.first,
                    [&](std::uint32_t bucket) { return table.begin(bucket); });
    require(pieces == table.pieces && pieces >= 2, "a table of another length");
    check_numbers(table.bytes);
    check_numbers(table.bytes_per_ns);
    for (std::size_t i = 0; i < pieces; ++i) {
      require(table.bytes_per_ns[i] >= 0 && table.bytes[i] >= 0, "a table that falls");
      require(i == 0 || table.bytes[i - 1] <= table.bytes[i], "a table that falls");
    }
    require(table.bytes_per_ns[pieces - 1] > 0, "a rail that carries no more");
  }

  void check_pair(const PairTable& table) const {
    const std::size_t pieces = check_knots(table.index);
    require(table.pieces == 0 || table.pieces == pieces, "a table of another length");
    check_numbers(table.end_ns);
    check_numbers(table.ns_per_byte);
    for (std::size_t i = 0; i < pieces; ++i) {
      require(table.bytes[i] <= table.index.knot[i] && table.share[i] <= PairTable::kOne,
              "a share beyond the message");
    }
  }

  void check_companions() const {
    for (const CompanionRecord& record : view_.companions) {
      require(record.measured < view_.paths.size() && view_.paths[record.measured].measured != 0,
              "a companion that was not measured");
      require(record.busy <= CompanionRecord::kBusyMax, "too many companions");
      for (const std::uint32_t path : std::span(record.busy_paths).first(record.busy)) {
        require(path < view_.paths.size(), "a companion that is not there");
      }
    }
  }

  void check_collectives() const {
    for (const OffloadRecord& offload : view_.offloads) {
      check_text(offload.placement);
      require(is_duration(offload.cost_ns) && is_duration(offload.low_ns) &&
                  is_duration(offload.high_ns),
              "an offload cost that is none");
    }
    for (const SegmentRecord& segment : view_.segments) {
      check_text(segment.operation);
      check_text(segment.algorithm);
      check_text(segment.mpi);
      require(is_fraction(segment.gain), "a gain that is none");
      require(segment.segment_bytes <= kSizeBytesMax, "a segment that is too long");
      const bool sampled = segment.nodes_max == 0 && segment.ranks_per_node_max == 0;
      require(sampled || (segment.nodes_max >= segment.nodes &&
                          segment.ranks_per_node_max >= segment.ranks_per_node),
              "a predicted rule for no shape");
    }
    for (const LibraryRuleRecord& rule : view_.library_rules) {
      for (const TextOffset offset : {rule.mpi, rule.operation, rule.algorithm}) check_text(offset);
      require(rule.segment_bytes <= kSizeBytesMax, "a segment that is too long");
      require(is_fraction(rule.gain) && is_fraction(rule.low) && is_fraction(rule.high),
              "a gain that is none");
    }
    for (const SignatureRecord& signature : view_.signatures) check_signature(signature);
  }

  void check_rises(std::uint64_t from, std::uint64_t count) const {
    require_range(from, count, view_.rises.size(), "ranks not there");
    std::uint64_t ranks = 0;
    for (const RiseRecord& rise : view_.rises.subspan(from, count)) {
      require(rise.ranks > ranks && rise.ranks <= UINT32_MAX && rise.factor > 0 &&
                  is_fraction(rise.factor),
              "ratios that rise in no order");
      ranks = rise.ranks;
    }
  }

  void check_signature(const SignatureRecord& signature) const {
    check_text(signature.algorithm);
    check_points(signature.points_from, signature.points);
    check_rises(signature.rises_from, signature.rises);
    check_rises(signature.ratio_rises_from, signature.ratio_rises);
    require(signature.by_ratios == 0 || signature.small > 0, "ratios not there");
    require_range(signature.small_from, signature.small, view_.small_ratios.size(),
                  "ratios not there");
    std::uint64_t size_bytes = 0;
    for (const SmallRatioRecord& small :
         view_.small_ratios.subspan(signature.small_from, signature.small)) {
      require(small.size_bytes > size_bytes && small.ratio > 0 && is_fraction(small.ratio) &&
                  is_fraction(small.spread),
              "a ratio that is none");
      size_bytes = small.size_bytes;
    }
    for (const double value :
         {signature.gamma, signature.error, signature.growth, signature.gamma_variance,
          signature.delta_variance, std::abs(signature.covariance), signature.sessions,
          signature.misfit, signature.left_out, signature.growth_error, signature.quantile,
          signature.ratio_growth, signature.ratio_growth_error}) {
      require(is_fraction(value), "a signature of impossible numbers");
    }
    require(is_duration(signature.delta_ns) && is_duration(signature.processor_ns),
            "a signature of impossible numbers");
  }

  std::span<const std::byte> bytes_;
  std::string_view what_;
  View view_;
  std::span<const ProfileRecord> profiles_;
};

}  // namespace

std::uint64_t snapshot_digest(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kPrime = 0x100000001b3u;  // of FNV-1a, over words
  constexpr std::size_t kDigestAt = offsetof(SnapshotHeader, digest);
  std::uint64_t state = 0xcbf29ce484222325u;
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if (at == kDigestAt) word = 0;
    state = (state ^ word) * kPrime;
  }
  return state;
}

SnapshotHeader check_header(std::span<const std::byte> bytes, std::string_view what) {
  return Checker(bytes, what).checked_header();
}

std::vector<Section> check_sections(std::span<const std::byte> bytes, std::string_view what) {
  return Checker(bytes, what).checked_sections();
}

View check(std::span<const std::byte> bytes, std::string_view what) {
  return Checker(bytes, what).check();
}

}  // namespace nmt::runtime
