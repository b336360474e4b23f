// SPDX-License-Identifier: BSD-3-Clause
//
// Builds the bytes of a snapshot: sections one after the other, each aligned, behind a header and
// the list of sections (runtime/layout.h).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/layout.h"
#include "runtime/storage.h"

namespace nmt::runtime {

class Image {
 public:
  template <class Record>
  void add(SectionKind kind, const std::vector<Record>& records) {
    add(kind, sizeof(Record), std::as_bytes(std::span(records)));
  }
  void add(SectionKind kind, std::size_t record_bytes, std::span<const std::byte> records);
  Storage finish();  // of the current version, with its digest

 private:
  void pad();

  std::vector<Section> sections_;  // offsets relative to the end of the list of sections
  std::vector<std::byte> bytes_;
};

}  // namespace nmt::runtime
