// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/older_version.h"

#include <cstring>
#include <utility>
#include <vector>

#include "runtime/image.h"
#include "runtime/snapshot.h"

namespace nmt::runtime {
namespace {

// Records that have grown since the oldest version that is read.
struct Growth {
  SectionKind kind;
  std::size_t before;
  std::size_t now;
};
constexpr Growth kGrowths[] = {
    {SectionKind::kPathDetail, 72, sizeof(PathDetailRecord)},  // since version 4
    {SectionKind::kSegment, 48, sizeof(SegmentRecord)},        // since version 4
    {SectionKind::kSignature, 184, sizeof(SignatureRecord)}};  // since version 5

std::vector<std::byte> with_zeros(std::span<const std::byte> records, const Growth& growth) {
  std::vector<std::byte> grown(records.size() / growth.before * growth.now);
  for (std::size_t from = 0, to = 0; from < records.size();
       from += growth.before, to += growth.now) {
    std::memcpy(grown.data() + to, records.data() + from, growth.before);
  }
  return grown;
}

}  // namespace

Storage completed(Storage image, std::string_view what) {
  if (check_header(image.bytes(), what).version == kSnapshotVersion) return image;
  Image grown;
  for (const Section& section : check_sections(image.bytes(), what)) {
    const auto records =
        image.bytes().subspan(section.offset, section.records * section.record_bytes);
    const Growth* growth = nullptr;
    for (const Growth& each : kGrowths) {
      if (each.kind == section.kind && each.before == section.record_bytes) growth = &each;
    }
    if (growth != nullptr) {
      grown.add(section.kind, growth->now, with_zeros(records, *growth));
    } else {
      grown.add(section.kind, section.record_bytes, records);
    }
  }
  return grown.finish();
}

}  // namespace nmt::runtime
