// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/image.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "runtime/snapshot.h"

namespace nmt::runtime {

void Image::add(SectionKind kind, std::size_t record_bytes, std::span<const std::byte> records) {
  pad();
  sections_.push_back({kind, static_cast<std::uint32_t>(record_bytes), bytes_.size(),
                       records.size() / record_bytes});
  bytes_.insert(bytes_.end(), records.begin(), records.end());
}

Storage Image::finish() {
  pad();
  std::size_t head = sizeof(SnapshotHeader) + sections_.size() * sizeof(Section);
  head = (head + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
  SnapshotHeader header{.magic = kSnapshotMagic,
                        .endian = kSnapshotEndian,
                        .version = kSnapshotVersion,
                        .file_bytes = head + bytes_.size(),
                        .digest = 0,
                        .sections = static_cast<std::uint32_t>(sections_.size()),
                        .reserved = {}};
  for (Section& section : sections_) section.offset += head;
  Storage image = Storage::allocate(header.file_bytes);
  std::byte* at = image.writable().data();
  std::ranges::copy(std::as_bytes(std::span(sections_)), at + sizeof header);
  std::ranges::copy(bytes_, at + head);
  std::memcpy(at, &header, sizeof header);
  header.digest = snapshot_digest(image.bytes());
  std::memcpy(at, &header, sizeof header);
  return image;
}

void Image::pad() {
  bytes_.resize((bytes_.size() + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment);
}

}  // namespace nmt::runtime
