// SPDX-License-Identifier: BSD-3-Clause
//
// docs/reference/snapshot.md against the structs that it describes.
#include "runtime/layout.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace nmt::runtime {
namespace {

using SizeTableIndex = decltype(SizeTable::index);
using PairTableIndex = decltype(PairTable::index);
using EagerTableIndex = decltype(EagerSizeTable::index);

// As the page calls it.
template <class T>
std::string type_name() {
  if constexpr (std::is_array_v<T>) {
    return fmt::format("{}[{}]", type_name<std::remove_extent_t<T>>(), std::extent_v<T>);
  }
  if constexpr (std::is_same_v<T, std::array<char, 8>>) return "u8[8]";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "u8";
  if constexpr (std::is_same_v<T, std::uint32_t>) return "u32";  // a text, too
  if constexpr (std::is_same_v<T, SectionKind>) return "u32";
  if constexpr (std::is_same_v<T, std::uint64_t>) return "u64";
  if constexpr (std::is_same_v<T, std::int32_t>) return "i32";
  if constexpr (std::is_same_v<T, float>) return "f32";
  if constexpr (std::is_same_v<T, double>) return "f64";
  if constexpr (std::is_same_v<T, SizeTableIndex>) return "SizeIndex";
  if constexpr (std::is_same_v<T, PairTableIndex>) return "PairIndex";
  if constexpr (std::is_same_v<T, EagerTableIndex>) return "EagerIndex";
  if constexpr (std::is_same_v<T, SizeTable>) return "SizeTable";
  if constexpr (std::is_same_v<T, EagerSizeTable>) return "EagerSizeTable";
  if constexpr (std::is_same_v<T, TimeTable>) return "TimeTable";
  return "unknown";
}

// "OFFSET TYPE NAME" per field, in order, behind "SIZE bytes".
using Fields = std::vector<std::string>;

// The structs; FIELD is about the struct `S`.
#define FIELD(name) \
  fmt::format("{} {} {}", offsetof(S, name), type_name<decltype(S::name)>(), #name)

std::map<std::string, Fields> structs() {
  std::map<std::string, Fields> all;
  {
    using S = SnapshotHeader;
    all["SnapshotHeader"] = {fmt::format("{} bytes", sizeof(S)),
                             FIELD(magic),
                             FIELD(endian),
                             FIELD(version),
                             FIELD(file_bytes),
                             FIELD(digest),
                             FIELD(sections),
                             FIELD(reserved)};
  }
  {
    using S = Section;
    all["Section"] = {fmt::format("{} bytes", sizeof(S)), FIELD(kind), FIELD(record_bytes),
                      FIELD(offset), FIELD(records)};
  }
  {
    using S = SizeTableIndex;
    all["SizeIndex"] = {fmt::format("{} bytes", sizeof(S)), FIELD(first), FIELD(knot)};
  }
  {
    using S = SizeTable;
    all["SizeTable"] = {fmt::format("{} bytes", sizeof(S)), FIELD(index), FIELD(start),
                        FIELD(duration_ns), FIELD(ns_per_byte)};
  }
  {
    using S = TimeTable;
    all["TimeTable"] = {fmt::format("{} bytes", sizeof(S)),
                        FIELD(base),
                        FIELD(pieces),
                        FIELD(first),
                        FIELD(knot),
                        FIELD(bytes),
                        FIELD(bytes_per_ns)};
  }
  {
    using S = PathBlock;
    all["PathBlock"] = {fmt::format("{} bytes", sizeof(S)),
                        FIELD(method_from),
                        FIELD(aggregate_below),
                        FIELD(separate_from),
                        FIELD(method_choices),
                        FIELD(aggregation),
                        FIELD(gate),
                        FIELD(gate_pairs),
                        FIELD(gate_place),
                        FIELD(companions),
                        FIELD(companions_from),
                        FIELD(measured),
                        FIELD(chunk_bytes_min),
                        FIELD(size_bytes_max),
                        FIELD(duration),
                        FIELD(inverse)};
  }
  {
    using S = PairTableIndex;
    all["PairIndex"] = {fmt::format("{} bytes", sizeof(S)), FIELD(first), FIELD(knot)};
  }
  {
    using S = PairTable;
    all["PairTable"] = {fmt::format("{} bytes", sizeof(S)),
                        FIELD(index),
                        FIELD(bytes),
                        FIELD(share),
                        FIELD(end_ns),
                        FIELD(ns_per_byte),
                        FIELD(pieces),
                        FIELD(simultaneous)};
  }
  {
    using S = EagerTableIndex;
    all["EagerIndex"] = {fmt::format("{} bytes", sizeof(S)), FIELD(first), FIELD(knot)};
  }
  {
    using S = EagerSizeTable;
    all["EagerSizeTable"] = {fmt::format("{} bytes", sizeof(S)), FIELD(index), FIELD(start),
                             FIELD(duration_ns), FIELD(ns_per_byte)};
  }
  {
    using S = AggregationTable;
    all["AggregationTable"] = {fmt::format("{} bytes", sizeof(S)), FIELD(one_of_two),
                               FIELD(together)};
  }
  {
    using S = CompanionRecord;
    all["CompanionRecord"] = {fmt::format("{} bytes", sizeof(S)), FIELD(measured), FIELD(busy),
                              FIELD(busy_paths)};
  }
  {
    using S = OffloadRecord;
    all["OffloadRecord"] = {fmt::format("{} bytes", sizeof(S)),
                            FIELD(placement),
                            FIELD(reserved),
                            FIELD(cost_ns),
                            FIELD(low_ns),
                            FIELD(high_ns)};
  }
  {
    using S = SegmentRecord;
    all["SegmentRecord"] = {fmt::format("{} bytes", sizeof(S)),
                            FIELD(operation),
                            FIELD(nodes),
                            FIELD(ranks_per_node),
                            FIELD(algorithm),
                            FIELD(from_bytes),
                            FIELD(to_bytes),
                            FIELD(segment_bytes),
                            FIELD(leaders),
                            FIELD(mpi),
                            FIELD(gain),
                            FIELD(nodes_max),
                            FIELD(ranks_per_node_max)};
  }
  {
    using S = LibraryRuleRecord;
    all["LibraryRuleRecord"] = {fmt::format("{} bytes", sizeof(S)),
                                FIELD(mpi),
                                FIELD(operation),
                                FIELD(algorithm),
                                FIELD(ranks),
                                FIELD(ranks_per_node),
                                FIELD(reserved),
                                FIELD(from_bytes),
                                FIELD(to_bytes),
                                FIELD(segment_bytes),
                                FIELD(gain),
                                FIELD(low),
                                FIELD(high)};
  }
  {
    using S = DeviceRecord;
    all["DeviceRecord"] = {fmt::format("{} bytes", sizeof(S)), FIELD(name), FIELD(naming)};
  }
  {
    using S = SignatureRecord;
    all["SignatureRecord"] = {fmt::format("{} bytes", sizeof(S)),
                              FIELD(algorithm),
                              FIELD(ranks_per_node),
                              FIELD(ranks_min),
                              FIELD(ranks_max),
                              FIELD(points_from),
                              FIELD(points),
                              FIELD(rises_from),
                              FIELD(rises),
                              FIELD(small_from),
                              FIELD(small),
                              FIELD(cores),
                              FIELD(delta_per_message),
                              FIELD(saturated),
                              FIELD(uncertain),
                              FIELD(gamma),
                              FIELD(delta_ns),
                              FIELD(error),
                              FIELD(delta_from_bytes),
                              FIELD(size_bytes_min),
                              FIELD(size_bytes_max),
                              FIELD(growth),
                              FIELD(processor_ns),
                              FIELD(gamma_variance),
                              FIELD(delta_variance),
                              FIELD(covariance),
                              FIELD(sessions),
                              FIELD(misfit),
                              FIELD(left_out),
                              FIELD(growth_error),
                              FIELD(quantile),
                              FIELD(growth_saturates),
                              FIELD(by_ratios),
                              FIELD(ratio_rises_from),
                              FIELD(ratio_rises),
                              FIELD(ratio_growth_saturates),
                              FIELD(reserved),
                              FIELD(ratio_growth),
                              FIELD(ratio_growth_error)};
  }
  {
    using S = RiseRecord;
    all["RiseRecord"] = {fmt::format("{} bytes", sizeof(S)), FIELD(ranks), FIELD(factor)};
  }
  {
    using S = SmallRatioRecord;
    all["SmallRatioRecord"] = {fmt::format("{} bytes", sizeof(S)), FIELD(size_bytes), FIELD(ratio),
                               FIELD(spread)};
  }
  {
    using S = ProfileRecord;
    all["ProfileRecord"] = {fmt::format("{} bytes", sizeof(S)),
                            FIELD(platform),
                            FIELD(platform_id),
                            FIELD(measured_utc),
                            FIELD(tool_version),
                            FIELD(complete),
                            FIELD(verified),
                            FIELD(quality),
                            FIELD(error_median),
                            FIELD(regret_median)};
  }
  {
    using S = FieldRecord;
    all["FieldRecord"] = {fmt::format("{} bytes", sizeof(S)), FIELD(name), FIELD(value)};
  }
  {
    using S = PathDetailRecord;
    all["PathDetailRecord"] = {fmt::format("{} bytes", sizeof(S)),
                               FIELD(rail),
                               FIELD(path_id),
                               FIELD(regime),
                               FIELD(placement),
                               FIELD(busy_rails),
                               FIELD(methods),
                               FIELD(curves_from),
                               FIELD(curves),
                               FIELD(thresholds_from),
                               FIELD(thresholds),
                               FIELD(methods_from),
                               FIELD(method_ranges),
                               FIELD(max_unexpected_bytes),
                               FIELD(monotone_departure),
                               FIELD(table_departure),
                               FIELD(host),
                               FIELD(node_id),
                               FIELD(peer_host),
                               FIELD(peer_id),
                               FIELD(memory),
                               FIELD(ranks_per_nic),
                               FIELD(devices_from),
                               FIELD(devices)};
  }
  {
    using S = CurveRecord;
    all["CurveRecord"] = {fmt::format("{} bytes", sizeof(S)), FIELD(variant), FIELD(method),
                          FIELD(points_from), FIELD(points)};
  }
  {
    using S = PointRecord;
    all["PointRecord"] = {fmt::format("{} bytes", sizeof(S)), FIELD(size_bytes), FIELD(duration_ns),
                          FIELD(low_ns), FIELD(high_ns)};
  }
  {
    using S = ThresholdRecord;
    all["ThresholdRecord"] = {fmt::format("{} bytes", sizeof(S)),
                              FIELD(decision),
                              FIELD(answer),
                              FIELD(bytes),
                              FIELD(low_bytes),
                              FIELD(high_bytes),
                              FIELD(regret),
                              FIELD(bounded),
                              FIELD(ranges_from),
                              FIELD(ranges),
                              FIELD(reserved)};
  }
  {
    using S = RangeRecord;
    all["RangeRecord"] = {fmt::format("{} bytes", sizeof(S)), FIELD(from_bytes), FIELD(choice),
                          FIELD(reserved)};
  }
  return all;
}

#undef FIELD

// The same of the page: tables under headings "### NAME: SIZE bytes".
std::map<std::string, Fields> documented() {
  std::ifstream page(NMADTUNE_SNAPSHOT_PAGE);
  std::map<std::string, Fields> all;
  Fields* fields = nullptr;
  for (std::string line; std::getline(page, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("#")) fields = nullptr;
    if (line.starts_with("### ") && colon != line.npos) {
      fields = &all[line.substr(4, colon - 4)];
      fields->push_back(line.substr(colon + 2));
    }
    std::istringstream cells(line);
    std::string bar, offset, type, name;
    if (fields == nullptr || !(cells >> bar >> offset >> bar >> type >> bar >> name)) continue;
    if (!name.starts_with('`')) continue;
    fields->push_back(fmt::format("{} {} {}", offset, type == "text" ? "u32" : type,
                                  name.substr(1, name.size() - 2)));
  }
  return all;
}

TEST(SnapshotPage, SaysWhereEveryFieldIs) {
  const std::map<std::string, Fields> page = documented();
  for (const auto& [name, fields] : structs()) {
    ASSERT_TRUE(page.contains(name)) << name;
    EXPECT_EQ(page.at(name), fields) << name;
  }
  EXPECT_EQ(page.size(), structs().size());
}

}  // namespace
}  // namespace nmt::runtime
